package io.vertxscr.protocol.node.restart;

import io.vertxscr.protocol.FieldChecks;

/** The header of the redundancy file that this rank wrote. */
public record HeaderRequest(int datasetId, int rank) {
  public HeaderRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.rank(rank);
  }
}
