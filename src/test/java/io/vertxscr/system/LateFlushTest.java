package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what a run restarts from stays, also where the last run would have evicted it. Method: nodes in virtual time; a
 * flush of the last run ends when the next one has been offered an older checkpoint, as somebody wished.
 */
@Timeout(120)
class LateFlushTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  @TempDir
  Path directory;

  @Test
  void aFlushThatEndsInTheNextRunTakesNothingFromIt() throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "1"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoints(session, 1, 2).compose(_ -> cluster.later(10_000))
        .compose(_ -> session.current("step-1")).compose(_ -> session.finish()));
    assertThat(cluster.store("n1").find(1)).as("beyond the count, and flushed").isEmpty();
    cluster.launch();
    run.all(session -> session.restart().compose(offered -> {
      assertThat(offered.orElseThrow().name()).isEqualTo("step-1");
      return flushed(cluster, session);
    }).map(_ -> {
      assertThat(cluster.store(NODES[session.rank()]).find(1)).isPresent();
      return null;
    }));
    cluster.launch();
    assertThat(run.steps(3, 3)).isEqualTo(1);
  }

  /** The leader tells the node of the rank once more that the newer one is in the prefix directory. */
  private static Future<Void> flushed(VirtualCluster cluster, VirtualSession session) {
    String node = NODES[session.rank()];
    DatasetKey newer = cluster.store(node).find(2).orElseThrow().key();
    return cluster.onLoop(node, () -> cluster.services(node).flushes().flushed(
        new FlushStateChange(newer, FlushState.DONE, false))).compose(_ -> cluster.later(1000));
  }
}
