package io.vertxscr.protocol.node.container;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Entries of these ranks for a map of containers. */
public record EntriesRequest(int datasetId, List<Integer> ranks) {
  public EntriesRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.ranks("ranks", ranks);
  }
}
