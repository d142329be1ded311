package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.FieldChecks;

/**
 * All nodes have the new redundancy sets of an older dataset. Idempotent.
 *
 * @param round of the request that they were made for
 */
public record SetsToUse(DatasetKey dataset, long round) {
  public SetsToUse {
    FieldChecks.count("round", round);
  }
}
