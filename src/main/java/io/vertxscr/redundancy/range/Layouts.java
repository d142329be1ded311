package io.vertxscr.redundancy.range;

import io.vertxscr.model.RankFiles;
import java.nio.file.Path;
import java.util.Optional;

/** What other nodes have of a rank, as far as this node was told: needed to read it by path. */
public interface Layouts {
  Optional<RankFiles> of(int datasetId, int rank);

  /** The dataset's directory on that node. */
  Optional<Path> directory(int datasetId, String node);

  /** The redundancy file that the rank wrote, relative to the dataset's directory. */
  default Optional<String> redundancy(int datasetId, int rank) {
    return Optional.empty();
  }

  /** The file with the parity that the rank has computed for others, relative to the dataset's directory. */
  default Optional<String> parity(int datasetId, int rank) {
    return Optional.empty();
  }
}
