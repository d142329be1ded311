package io.vertxscr.protocol.node.container;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.flush.FlushWorked;
import java.util.List;

/**
 * Copy the files of these ranks into containers. Answered with {@link FlushWorked}.
 *
 * @param background whether phases of the run go first: nobody waits for it
 */
public record AggregateRequest(
    int datasetId, int attempt, List<Integer> ranks, boolean background, ContainerPlace place) {
  public AggregateRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.ranks("ranks", ranks);
  }
}
