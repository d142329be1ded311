package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Stored sizes of the compressed files of these ranks. */
public record CompressedSizesRequest(int datasetId, List<Integer> ranks) {
  public CompressedSizesRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.ranks("ranks", ranks);
  }
}
