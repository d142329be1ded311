package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;

/** Published. @param taken whether any of the names was another file's before */
public record DraftsRenamed(int datasetId, int attempt, boolean taken) {
  public DraftsRenamed {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
  }
}
