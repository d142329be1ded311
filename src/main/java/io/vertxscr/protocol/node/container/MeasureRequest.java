package io.vertxscr.protocol.node.container;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Sums of the files of these ranks. */
public record MeasureRequest(int datasetId, int attempt, List<Integer> ranks) {
  public MeasureRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.ranks("ranks", ranks);
  }
}
