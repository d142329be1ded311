package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: wall clocks that are hours apart change nothing in the life of runs. Method: in virtual time the first leader's
 * clock is ahead; it dies, and a run of fewer nodes begins under one whose clock is behind; that one dies in the run,
 * and the next leader goes on with it, though another node remembers a run of the future. Where clocks are set back
 * between two runs, the newest checkpoint is offered all the same, of the caches and of the prefix directory.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ClocksApartTest {
  private static final String[] TWO = {"n1", "n2"};

  @TempDir
  Path directory;

  @ParameterizedTest(name = "{0} h")
  @ValueSource(ints = {0, 3, 48, -48})
  void theNextLeaderGoesOnWithTheRunThatIsOn(int hours) throws Exception {
    VirtualCluster cluster =
        VirtualClusters.in(new Random(hours + 1), directory.resolve("walk"), Map.of("SCR_FLUSH", "0"));
    cluster.clockAhead("n1", Duration.ofHours(hours));
    cluster.start("n1");
    cluster.start("n2", "n3", "n4", "n5");
    assertThat(new VirtualRun(cluster, "n2", "n3", "n4", "n5").steps(1, 1)).isZero();
    cluster.kill("n1");
    cluster.launch();
    VirtualRun run = new VirtualRun(cluster, "n3", "n4", "n3", "n4");
    List<Integer> written = new ArrayList<>();
    Promise<Void> lost = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.restart(session)
        .compose(_ -> run.checkpoints(session, 2, 2)).compose(_ -> {
          written.add(session.rank());
          return lost.future();
        }).compose(_ -> run.checkpoints(session, 3, 3)).compose(_ -> session.finish()));
    cluster.awaits("a checkpoint of all", () -> written.size() == 4);
    cluster.kill("n2");
    cluster.launch();
    lost.complete();
    ranks.forEach(rank -> {
      Future<Void> end = cluster.await(rank);
      assertThat(end.succeeded()).as(() -> end.cause() + "\n" + cluster.story()).isTrue();
    });
    assertThat(run.steps(4, 4)).isEqualTo(3);
  }

  /** Also where the daemons began after it was set, and know nothing but what is in files. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void afterAClockWasSetBackTheNewestCheckpointOfTheCachesIsOffered(boolean restarted) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(
        new Random(1), directory.resolve("walk"), Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "3"));
    cluster.start(TWO);
    VirtualRun run = new VirtualRun(cluster, TWO);
    assertThat(run.steps(1, 1)).isZero();
    assertThat(run.steps(2, 2)).isEqualTo(1);
    setBack(cluster, restarted);
    assertThat(run.steps(3, 3)).isEqualTo(2);
    assertThat(run.steps(4, 4)).isEqualTo(3);
    setBack(cluster, restarted);
    assertThat(run.steps(5, 5)).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void afterAClockWasSetBackTheNewestFlushedCheckpointIsFetched(boolean restarted) throws Exception {
    VirtualCluster cluster =
        VirtualClusters.in(new Random(1), directory.resolve("walk"), Map.of("SCR_FLUSH", "1"));
    cluster.start(TWO);
    VirtualRun run = new VirtualRun(cluster, TWO);
    assertThat(run.steps(1, 1)).isZero();
    setBack(cluster, restarted);
    assertThat(run.steps(2, 2)).isEqualTo(1);
    cluster.loseCaches(TWO);
    assertThat(run.steps(3, 3)).isEqualTo(2);
  }

  private static void setBack(VirtualCluster cluster, boolean restarted) {
    for (String node : TWO) {
      if (restarted) {
        cluster.kill(node);
      }
      cluster.clockAhead(node, Duration.ofHours(-3));
    }
    if (restarted) {
      cluster.launch();
      cluster.start(TWO);
    }
  }
}
