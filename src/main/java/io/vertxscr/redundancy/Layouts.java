package io.vertxscr.redundancy;

import io.vertxscr.model.RankFiles;
import java.util.Optional;

/** Which files other nodes' ranks have, as far as this node was told: needed to read them by path. */
@FunctionalInterface
public interface Layouts {
  Optional<RankFiles> of(int datasetId, int rank);
}
