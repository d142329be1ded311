package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: nodes that have evicted flushed output keep no other node waiting for its sync. Method: nodes in virtual time;
 * which of them evicts before its phase ends depends on the seed, so there are several.
 */
@Timeout(120)
class FlushedOutputTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final int SEEDS = 20;
  private static final int OUTPUTS = 10;

  private FaultyDisk disk;

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  @Test
  void nobodyWaitsForNodesThatHaveEvictedIt() throws Exception {
    for (int seed = 1; seed <= SEEDS; seed++) {
      disk = new FaultyDisk();
      VirtualCluster cluster = VirtualClusters.in(new Random(seed), disk.directory("/walk"),
          Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH_ASYNC", "0"), new LocalFiles(disk.system()));
      cluster.start(NODES);
      VirtualRun run = new VirtualRun(cluster, NODES);
      run.all(session -> outputs(cluster, session, 1).compose(_ -> session.finish()));
      cluster.pass(Duration.ofMinutes(1));
      int[] questions = new int[1];
      cluster.bus().watch(sent -> questions[0] += sent.address().endsWith(".synced") ? 1 : 0);
      cluster.pass(Duration.ofMinutes(1));
      assertThat(questions[0]).as("questions at rest, seed %d", seed).isZero();
      disk.close();
    }
  }

  private static Future<Void> outputs(VirtualCluster cluster, VirtualSession session, int step) {
    return step > OUTPUTS ? Future.succeededFuture()
        : output(cluster, session, step).compose(_ -> outputs(cluster, session, step + 1));
  }

  private static Future<Void> output(VirtualCluster cluster, VirtualSession session, int step) {
    return session.startOutput("results-" + step, DatasetFlags.OUTPUT).compose(phase ->
        phase.route(cluster.prefix() + "/results-" + step + "/rank-" + session.rank()).map(path -> {
          try {
            return Files.write(cluster.file(NODES[session.rank()], path), new byte[1]);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }).compose(_ -> phase.complete(true)));
  }
}
