package io.vertxscr.protocol.node;

import io.vertxscr.redundancy.PieceChecksum;
import java.util.List;

/** Messages between the members of redundancy sets while they protect a dataset. */
public final class Protecting {
  private Protecting() {}

  /** Asks for the checksums of these ranks' files, as far as the asked node read them in this round. */
  public record ChecksumsOf(int datasetId, long round, List<Integer> owners) {}

  /** The pieces, in no particular order. */
  public record Checksums(List<PieceChecksum> pieces) {}
}
