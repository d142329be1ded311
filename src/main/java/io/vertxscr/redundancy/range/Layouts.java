package io.vertxscr.redundancy.range;

import io.vertxscr.model.RankFiles;
import java.nio.file.Path;
import java.util.Optional;

/** Layouts of a rank on other nodes, as reported, for reads by path. */
public interface Layouts {
  Optional<RankFiles> of(int datasetId, int rank);

  /** The dataset's directory on that node, where it can be read by path. May block. */
  Optional<Path> directory(int datasetId, String node);

  /** The redundancy file that the rank wrote, relative to the dataset's directory. */
  default Optional<String> redundancy(int datasetId, int rank) {
    return Optional.empty();
  }

  /** File with the parity that the rank has computed for others, relative to the dataset's directory. */
  default Optional<String> parity(int datasetId, int rank) {
    return Optional.empty();
  }
}
