package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.model.Limits;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a quarantine is not ended by the program itself. What ends it is that somebody sets the checkpoint current, so
 * it must not be current any more before it is noted. Method: a disk on which the index cannot be changed.
 */
class QuarantineOrderTest {
  private static final String[] NODES = {"n1", "n2"};

  /** Starts to read what is offered, and dies with all ranks; its step. */
  private static int dieReading(VirtualCluster cluster, VirtualRun run) {
    Barrier all = new Barrier(NODES.length);
    int step = run.all(session -> session.restart()
        .compose(offered -> all.meet().map(_ -> step(offered.orElseThrow())))).getFirst();
    cluster.launch();                                     // the daemons know that it is over
    return step;
  }

  private static int step(VirtualSession.VirtualPhase offered) {
    return Integer.parseInt(offered.name().substring("step-".length()));
  }

  @Test
  void whereTheIndexCannotBeChangedTheQuarantineHoldsAllTheSame() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      VirtualCluster cluster = VirtualClusters.in(new Random(1), disk.directory("/walk"),
          Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "3", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"),
          new LocalFiles(disk.system()));
      cluster.start(NODES);
      cluster.launch();
      VirtualRun run = new VirtualRun(cluster, NODES);
      assertThat(run.steps(1, 2)).isZero();
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS; i++) {
        assertThat(dieReading(cluster, run)).isEqualTo(2);
      }
      disk.trouble((_, what) -> {
        if (what.startsWith("move to ") && what.endsWith("index.scr")) {
          throw new IOException("Input/output error");
        }
      });
      for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS; i++) {
        assertThat(dieReading(cluster, run)).as("run %d after the quarantine", i).isEqualTo(1);
      }
    }
  }
}
