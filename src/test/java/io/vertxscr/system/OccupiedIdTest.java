package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no run begins from nothing because another program's dataset has the id of its checkpoint. Method: nodes in
 * virtual time that lose all caches, so that ids begin again for a program with another prefix directory.
 */
@Timeout(120)
class OccupiedIdTest {
  private static final String[] NODES = {"n1", "n2"};

  @TempDir
  Path directory;

  @Test
  void aRunIsRefusedWhileItsCheckpointCannotBeFetched() throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    VirtualRun flushed = new VirtualRun(cluster, Map.of("SCR_FLUSH", "1"), NODES);
    assertThat(flushed.steps(1, 2)).isZero();
    loseCaches(cluster);
    VirtualRun other = new VirtualRun(cluster, Map.of("SCR_FLUSH", "0"), NODES).in(directory.resolve("other"));
    other.all(session -> other.checkpoints(session, 1, 2));   // and dies
    cluster.launch();
    assertThatThrownBy(() -> flushed.steps(3, 3)).cause().isInstanceOfSatisfying(ScrException.class, e -> {
      assertThat(e.fault()).isEqualTo(Fault.WRONG_STATE);
      assertThat(e).hasMessageContaining("/other that was not flushed")
          .hasMessageContaining("the run would start without one");
    });
    assertThat(other.steps(3, 3)).as("it has lost nothing").isEqualTo(2);
    cluster.launch();
    assertThat(flushed.steps(3, 3)).as("the other's has replaced the one with this id").isEqualTo(1);
  }

  private static void loseCaches(VirtualCluster cluster) {
    for (String node : NODES) {
      cluster.kill(node);
    }
    for (String node : NODES) {
      cluster.loseStorage(node);
      cluster.start(node);
    }
    cluster.launch();
  }
}
