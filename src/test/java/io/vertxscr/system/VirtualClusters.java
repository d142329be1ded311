package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

/** Virtual clusters whose nodes share one machine's files. */
final class VirtualClusters {
  private VirtualClusters() {}

  /** @param directory where everything is; emptied first: the paths of files are part of what happens */
  static VirtualCluster in(Random random, Path directory, Map<String, String> parameters) throws IOException {
    return in(random, directory, parameters, LocalFiles.ofThisMachine());
  }

  /** The same on a file system of its own. */
  static VirtualCluster in(Random random, Path directory, Map<String, String> parameters, LocalFiles files)
      throws IOException {
    if (Files.exists(directory)) {
      Trees.delete(directory);
    }
    Path prefix = Files.createDirectories(directory.resolve("prefix"));
    return new VirtualCluster(random, TestSettings.in(directory, parameters), prefix, _ -> files);
  }

  /** Has the leader flush a dataset of the caches, which must succeed. */
  static void flush(VirtualCluster cluster, String leader, int dataset) {
    FlushCoordinator flushes = cluster.services(leader).flushLeader().coordinator();
    assertThat(cluster.onLoop(leader, () -> flushes.flush(dataset)).cause()).isNull();
  }

  /** What the prefix directory lists. */
  static Index index(VirtualCluster cluster) {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(30))).read()
        .index();
  }
}
