package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;

/**
 * Copied.
 *
 * @param mapBytes of the entries of these ranks in a rank2file map
 */
public record FlushWorked(int datasetId, int attempt, long mapBytes) {
  public FlushWorked {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.bytes("mapBytes", mapBytes);
  }
}
