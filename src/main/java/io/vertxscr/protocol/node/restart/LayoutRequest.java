package io.vertxscr.protocol.node.restart;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Asks for the layouts of these ranks on a node. */
public record LayoutRequest(int datasetId, List<Integer> ranks) {
  public LayoutRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.ranks("ranks", ranks);
  }
}
