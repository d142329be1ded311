package io.vertxscr.model;

/** Protection of a dataset against the loss of nodes. */
public enum Scheme {
  /** Files stay where they were written; nothing survives the loss of the node. */
  SINGLE("single", 0),
  /** Copies of each member's files on its right neighbours in the set, as many as losses are tolerated. */
  PARTNER("partner", 1),
  /** Each member keeps a segment of parity over the others. */
  XOR("xor", 1),
  /** Reed-Solomon parity over the other members, for as many losses as the set tolerates. */
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

  /** Default tolerance: number of members of a set that may be lost at once, any of them. */
  public int tolerance() {
    return tolerance;
  }
}
