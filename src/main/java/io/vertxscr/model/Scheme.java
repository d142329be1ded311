package io.vertxscr.model;

/** How a dataset is protected against the loss of nodes. */
public enum Scheme {
  /** Files stay where they were written; nothing survives the loss of the node. */
  SINGLE("single", 0),
  /** The right neighbours in the set, as many as losses are tolerated, keep a copy of each member's files. */
  PARTNER("partner", 1),
  /** Each member keeps a segment of parity over the others. */
  XOR("xor", 1),
  /** Each member keeps segments of Reed-Solomon parity over the others, for as many losses as the set tolerates. */
  RS("rs", 2);

  private final String suffix;
  private final int tolerance;

  Scheme(String suffix, int tolerance) {
    this.suffix = suffix;
    this.tolerance = tolerance;
  }

  /** Extension of the redundancy file's name, without the dot. */
  public String suffix() {
    return suffix;
  }

  /** Members of a set that may be lost at once, whichever they are, where nobody asks for more. */
  public int tolerance() {
    return tolerance;
  }
}
