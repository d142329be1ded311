package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetKey;
import java.util.List;

/** Datasets to delete. */
public record DropDatasets(List<DatasetKey> datasets) {}
