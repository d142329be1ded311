package io.vertxscr.protocol.node.run;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Result of START_OUTPUT.
 *
 * @param evict datasets to evict before a file is written
 * @param bypass whether its files go to the prefix directory although its descriptor says otherwise: there is no room
 */
public record OutputStarted(DatasetDescriptor descriptor, List<Integer> evict, boolean bypass) {
  public OutputStarted {
    FieldChecks.size("evict", evict, Limits.MAX_RANKS);
    evict.forEach(FieldChecks::dataset);
  }
}
