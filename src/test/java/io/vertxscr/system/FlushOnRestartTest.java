package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: with SCR_FLUSH_ON_RESTART=1 a lost cached checkpoint keeps no run from its beginning. The one before it is
 * used. Method: nodes in virtual time; files of the newest of two are emptied, as after a loss of power.
 */
@Timeout(120)
class FlushOnRestartTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;

  private VirtualCluster withTwoCheckpoints() throws Exception {
    return withTwoCheckpoints(1);
  }

  private VirtualCluster withTwoCheckpoints(int seed) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(seed), directory.resolve("walk"), Map.of(
        "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_FLUSH_ON_RESTART", "1", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    assertThat(new VirtualRun(cluster, NODES).steps(1, 2)).isZero();
    return cluster;
  }

  private static void empty(VirtualCluster cluster, String... nodes) throws IOException {
    for (String node : nodes) {
      try (var files = Files.list(cluster.store(node).directory(2, List.of(NODES).indexOf(node)))) {
        for (Path file : files.toList()) {
          Files.write(file, new byte[0]);
        }
      }
    }
  }

  @Test
  void whatMoreNodesHaveLostThanItSurvivesIsLeftOut() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    empty(cluster, "n1", "n2");
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(1);
  }

  @Test
  void whatCannotBeRebuiltFromFilesThatTurnOutToBeBadIsLeftOut() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    empty(cluster, "n1");
    cluster.kill("n4");
    cluster.loseStorage("n4");
    cluster.start("n4");
    cluster.launch();
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(1);
  }

  /** Its name was never on the disk. */
  @Test
  void whatHasLostItsDirectoryIsRebuiltAndFlushed() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    Trees.delete(cluster.store("n1").directory(2));
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(2);
    assertThat(cluster.prefix().resolve("step-2/rank-0-0")).hasBinaryContent(RankProgram.bytes(0, 2, 0));
  }

  @Test
  void whatHasLostTooManyDirectoriesIsLeftOut() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    Trees.delete(cluster.store("n1").directory(2));
    Trees.delete(cluster.store("n2").directory(2));
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(1);
  }

  /** Nodes evict what is flushed of another program than that of their last run at once. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void whatIsEvictedBehindItsFlushHasArrived(int seed) throws Exception {
    VirtualCluster cluster = withTwoCheckpoints(seed);
    Path other = Files.createDirectories(directory.resolve("other"));
    assertThat(new VirtualRun(cluster, NODES).in(other).steps(1, 1)).isZero();
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(2);
  }

  /** Two jobs do not know which ids the other one gives. */
  @Test
  void whatAnotherJobKeepsFromItsPlaceIsToldWithTheRemedy() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    VirtualCluster other = VirtualClusters.in(new Random(2), directory.resolve("other"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1"));
    other.pass(Duration.ofHours(1));
    other.start(NODES);
    assertThat(new VirtualRun(other, NODES).in(cluster.prefix()).steps(1, 1)).isZero();
    assertThatThrownBy(() -> new VirtualRun(cluster, NODES).steps(3, 3)).rootCause()
        .hasMessageContainingAll("dataset 1 \"step-1\" of the caches could not be flushed to",
            "its cached copy stays: ", "has a complete dataset of that id", "scr index --drop step-1");
  }

  @Test
  void whatCanBeRebuiltIsFlushedAndUsed() throws Exception {
    VirtualCluster cluster = withTwoCheckpoints();
    empty(cluster, "n1");
    assertThat(new VirtualRun(cluster, NODES).steps(3, 3)).isEqualTo(2);
    assertThat(cluster.prefix().resolve("step-2/rank-0-0")).hasBinaryContent(RankProgram.bytes(0, 2, 0));
  }
}
