package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.RankConfiguration;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.simulation.VirtualCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no number that a node says keeps later runs from beginning. Method: two nodes in virtual time, one says that it
 * has been in a run of a number that none can have; then ranks of both run.
 */
@Timeout(120)
class NumbersInMessagesTest {
  @TempDir
  private Path directory;

  @Test
  void aNodeThatHasBeenInARunOfTheFarFutureIsNotBelieved() throws IOException {
    VirtualCluster cluster = VirtualClusters.in(new Random(1), directory, Map.of("SCR_CACHE_SIZE", "2"));
    cluster.start("n1", "n2");
    int step = 0;
    for (long lie : List.of((1L << 53) - 1, (1L << 53) - 2)) {
      for (int i = 0; i < 2; i++) {
        String leader = "n1";
        LeaderService leads = cluster.services(leader).leader();
        cluster.onLoop(leader, () -> leads.join(new JoinRun("n2", leader, cluster.prefix().toString(), "job", 1,
            List.of(0), Optional.of(RankConfiguration.NOTHING), lie)));
        cluster.awaits("the end of that run", () ->
            cluster.onLoop(leader, leads::waits).result().text().equals("no run"));
        int next = step + 1;
        assertThat(new VirtualRun(cluster, "n1", "n2").steps(next, next)).isEqualTo(step);
        step = next;
        long number = cluster.services("n2").runs().run().orElseThrow().info().run();
        assertThat(number).as("run after %s", lie).isBetween(1L, 1L << 52);
      }
    }
  }
}
