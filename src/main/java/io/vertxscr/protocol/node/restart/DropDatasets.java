package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Datasets to delete. */
public record DropDatasets(List<DatasetKey> datasets) {
  public DropDatasets {
    FieldChecks.size("datasets", datasets, Limits.MAX_DATASETS);
  }
}
