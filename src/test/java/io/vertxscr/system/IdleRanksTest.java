package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a node knows when its ranks need nothing of it. Method: two ranks of one node, in virtual time. */
@Timeout(60)
class IdleRanksTest {
  @TempDir
  private Path directory;

  private VirtualCluster cluster;
  private final List<String> seen = new ArrayList<>();

  private void look(String when) {
    seen.add(when + " " + cluster.services("n1").runs().isIdle());
  }

  @Test
  void ranksComputeBetweenTheirCallsAndNotWithinADataset() throws Exception {
    cluster = VirtualClusters.in(
        new Random(Long.getLong("seed", 1)), directory, Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "SINGLE"));
    cluster.start("n1");
    look("no rank has come:");
    VirtualRun run = new VirtualRun(cluster, "n1", "n1");
    run.all(session -> session.restart().compose(_ -> {
      if (session.rank() == 0) {
        look("restart is over:");
      }
      return session.startOutput("step-1", DatasetFlags.CHECKPOINT);
    }).compose(phase -> {
      if (session.rank() == 0) {
        look("amid a dataset:");
      }
      return phase.complete(true);
    }).compose(_ -> session.finish()));
    look("all have ended:");
    assertThat(seen).containsExactly(
        "no rank has come: true", "restart is over: true", "amid a dataset: false", "all have ended: true");
  }
}
