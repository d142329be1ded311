package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.simulation.VirtualCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a store that only the configuration of a run names is used by all nodes, whenever they come.
 * Method: runs in virtual time that name stores which the daemons do not know, a loss, a spare without either.
 */
@Timeout(120)
class StoreOfARunTest {
  @TempDir
  private Path directory;

  private VirtualCluster cluster(Map<String, String> parameters) throws IOException {
    VirtualCluster cluster = VirtualClusters.in(new Random(1), directory.resolve("walk"), parameters);
    cluster.start("n1", "n2", "n3");
    return cluster;
  }

  private Map<String, String> cachingIn(String name, String bypass) {
    return Map.of("SCR_CACHE_BASE", directory.resolve(name).toString(), "SCR_CACHE_BYPASS", bypass);
  }

  @Test
  void aSpareTakesPartInADatasetThatAnEarlierRunHasCachedElsewhere() throws IOException {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    assertThat(new VirtualRun(cluster, cachingIn("elsewhere", "0"), "n1", "n2", "n3").steps(1, 1)).isZero();
    assertThat(cluster.store("n1").list().getFirst().cache().base()).isEqualTo(directory + "/elsewhere");
    cluster.kill("n3");
    cluster.start("n4");
    assertThat(new VirtualRun(cluster, "n1", "n2", "n4").steps(2, 2)).isEqualTo(1);
  }

  @Test
  void aRunThatCachesNothingFetchesIntoItsStore() throws IOException {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"));
    assertThat(new VirtualRun(cluster, "n1", "n2", "n3").steps(1, 1)).isZero();
    for (String node : new String[] {"n1", "n2", "n3"}) {
      cluster.kill(node);
      cluster.loseStorage(node);
      cluster.start(node);
    }
    assertThat(new VirtualRun(cluster, cachingIn("elsewhere", "1"), "n1", "n2", "n3").steps(2, 2)).isEqualTo(1);
    assertThat(cluster.bus().events("dataset-complete")).extracting(complete -> complete.getBoolean("published"))
        .as("the second past the cache").containsExactly(false, true);
  }
}
