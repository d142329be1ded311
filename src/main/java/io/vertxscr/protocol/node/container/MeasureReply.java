package io.vertxscr.protocol.node.container;

import io.vertxscr.protocol.FieldChecks;

/** Bytes of the files of the ranks together. */
public record MeasureReply(int datasetId, int attempt, long bytes) {
  public MeasureReply {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.bytes("bytes", bytes);
  }
}
