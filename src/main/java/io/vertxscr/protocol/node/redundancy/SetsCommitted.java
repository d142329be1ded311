package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.FieldChecks;

/**
 * All nodes use the new redundancy sets of an older dataset.
 *
 * @param run for which they were made; where no run is on, a number above those of earlier ones
 */
public record SetsCommitted(DatasetKey dataset, long run) {
  public SetsCommitted {
    FieldChecks.run(run);
  }
}
