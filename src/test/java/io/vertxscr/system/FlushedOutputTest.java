package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: output that is complete arrives, and its nodes keep no other one waiting. Neither those that have evicted it,
 * nor those that have not heard the end of its phase. Method: nodes in virtual time; which node evicts or hears what
 * first depends on the seed, so there are several.
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

  private VirtualCluster cluster(int seed) throws IOException {
    disk = new FaultyDisk();
    VirtualCluster cluster = VirtualClusters.in(new Random(seed), disk.directory("/walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH_ASYNC", "0"), new LocalFiles(disk.system()));
    cluster.start(NODES);
    return cluster;
  }

  @Test
  void nobodyWaitsForNodesThatHaveEvictedIt() throws Exception {
    for (int seed = 1; seed <= SEEDS; seed++) {
      VirtualCluster cluster = cluster(seed);
      VirtualRun run = new VirtualRun(cluster, NODES);
      run.all(session -> outputs(cluster, session, 1).compose(_ -> session.finish()));
      cluster.pass(Duration.ofMinutes(1));
      assertThat(questionsOfAMinute(cluster)).as("questions at rest, seed %d", seed).isZero();
      disk.close();
    }
  }

  @Test
  void whereARankDiesWhileTheOthersWaitForTheFlushItArrives() throws Exception {
    for (int seed = 1; seed <= SEEDS; seed++) {
      VirtualCluster cluster = cluster(seed);
      Promise<Void> death = Promise.promise();
      cluster.bus().watch(sent -> {
        if (sent.address().endsWith(".gather") && "FLUSHED".equals(sent.json().getString("step"))) {
          death.tryFail("the rank dies");
        }
      });
      VirtualRun run = new VirtualRun(cluster, NODES);
      run.start(session -> {
        Future<Void> written = output(cluster, session, 1);
        return session.rank() == 2 ? endedBy(death, written) : written;
      }).forEach(cluster::await);
      cluster.pass(Duration.ofMinutes(1));
      for (int rank = 0; rank < NODES.length; rank++) {
        assertThat(cluster.prefix().resolve("results-1/rank-" + rank)).as("seed %d", seed).exists();
      }
      assertThat(questionsOfAMinute(cluster)).as("questions at rest, seed %d", seed).isZero();
      disk.close();
    }
  }

  /** The ids of what the prefix directory has are unknown then, for the caches have evicted it. */
  @Test
  void whatARunWritesThatCouldNotReadThePrefixDirectoryArrivesBesideWhatIsThere() throws Exception {
    VirtualCluster cluster = cluster(1);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoint(session, 1).compose(_ -> outputs(cluster, session, 1))
        .compose(_ -> session.finish()));
    List.of(NODES).forEach(cluster::kill);
    cluster.start(NODES);
    disk.trouble((_, what) -> {
      if (what.contains(cluster.prefix().toString())) {
        throw new IOException("Input/output error");
      }
    });
    run.all(session -> run.restart(session).compose(step -> {
      assertThat(step).isEqualTo(1);
      disk.trouble(FaultyDisk.Trouble.NONE);
      return output(cluster, session, OUTPUTS + 1);
    }).compose(_ -> session.finish()));
    cluster.pass(Duration.ofMinutes(1));
    assertThat(VirtualClusters.index(cluster).entries()).filteredOn(entry -> entry.descriptor().flags().output())
        .hasSize(OUTPUTS + 1).allMatch(Index.Entry::complete);
  }

  /** Its connection is closed when this fails. */
  private static Future<Void> endedBy(Promise<Void> death, Future<Void> program) {
    program.onComplete(death);
    return death.future();
  }

  private static int questionsOfAMinute(VirtualCluster cluster) {
    int[] questions = new int[1];
    cluster.bus().watch(sent -> questions[0] += sent.address().endsWith(".synced") ? 1 : 0);
    cluster.pass(Duration.ofMinutes(1));
    return questions[0];
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
