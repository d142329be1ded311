package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: all services of nodes, on real storage, replay from a seed. Method: two runs, a loss, a rebuild, a third. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class VirtualClusterTest {
  @TempDir
  Path directory;

  private String story(long seed) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(
        new Random(seed), directory.resolve("walk"), Map.of("SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0"));
    cluster.start("n1", "n2", "n3", "n4");
    VirtualRun run = new VirtualRun(cluster, "n1", "n2", "n3", "n4");
    assertThat(run.steps(1, 3)).isZero();
    assertThat(run.steps(4, 4)).isEqualTo(3);
    cluster.kill("n3");
    cluster.loseStorage("n3");
    cluster.start("n5");
    VirtualRun next = new VirtualRun(cluster, "n1", "n2", "n5", "n4");
    assertThat(next.steps(5, 5)).isEqualTo(4);
    return cluster.story();
  }

  @Test
  void aSeedReplays() throws Exception {
    assertThat(story(1)).isEqualTo(story(1)).contains("checkpoint", "dataset-complete", "flush-done");
  }
}
