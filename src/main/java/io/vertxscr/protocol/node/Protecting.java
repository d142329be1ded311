package io.vertxscr.protocol.node;

import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.RangeChecksums;
import java.util.List;

/** Messages between the members of redundancy sets while they protect a dataset. */
public final class Protecting {
  private Protecting() {}

  /**
   * Asks for checksums of these ranks' files, and for computed parity. Both are those of the asked node in this round;
   * the parity is what its own ranks have computed for others.
   *
   * @param parityFrom ranks of the asked node whose finished parity the asking one needs
   */
  public record ChecksumsOf(int datasetId, long round, List<Integer> owners, List<Integer> parityFrom) {}

  /** The answer, when the asked node has read all that it reads; in no particular order. */
  public record Checksums(List<RangeChecksums> ranges, List<FinishedParity> parities) {}
}
