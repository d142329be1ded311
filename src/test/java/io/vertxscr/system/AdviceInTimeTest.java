package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Limits;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what need-checkpoint says follows the clock. Method: nodes in virtual time; a rank asks every 10 ms. */
@Timeout(120)
class AdviceInTimeTest {
  private static final int STEP_MS = 10;
  /** A node answers so many calls ahead of the leader; each takes two messages and a step. */
  private static final Duration MESSAGES = Duration.ofMillis(
      (long) (Limits.MAX_ANSWERS_AHEAD + 1) * (STEP_MS + 2 * VirtualCluster.MOST_DELAY_MS));

  @TempDir
  Path directory;

  private VirtualCluster cluster(long seed, String parameter, String value) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(seed), directory.resolve("cluster"),
        Map.of("SCR_CACHE_SIZE", "2", parameter, value));
    cluster.start("n1", "n2");
    return cluster;
  }

  /** Asks until the answer is yes. */
  private static Future<Void> untilNeeded(VirtualCluster cluster, VirtualSession session) {
    return session.needCheckpoint().compose(need -> need ? Future.succeededFuture()
        : cluster.later(STEP_MS).compose(_ -> untilNeeded(cluster, session)));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void aCheckpointIsDueSoManySecondsAfterTheLastAndThenOnce(long seed) throws Exception {
    VirtualCluster cluster = cluster(seed, "SCR_CHECKPOINT_SECONDS", "10");
    VirtualRun run = new VirtualRun(cluster, "n1", "n2");
    run.all(session -> waits(cluster, run, session, 1).compose(_ -> waits(cluster, run, session, 2))
        .compose(_ -> session.finish()));
  }

  private static Future<Void> waits(VirtualCluster cluster, VirtualRun run, VirtualSession session, int step) {
    Instant begun = cluster.now();
    return untilNeeded(cluster, session).compose(_ -> {
      assertThat(Duration.between(begun, cluster.now()))
          .isBetween(Duration.ofSeconds(10).minus(MESSAGES), Duration.ofSeconds(10).plus(MESSAGES));
      return run.checkpoint(session, step);
    }).compose(_ -> session.needCheckpoint()).map(need -> {
      assertThat(need).as("right after the checkpoint").isFalse();
      return null;
    });
  }

  /** What one costs is 1 % of the time where 99 times as much lies between two. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void theOverheadIsKept(long seed) throws Exception {
    VirtualCluster cluster = cluster(seed, "SCR_CHECKPOINT_OVERHEAD", "1");
    VirtualRun run = new VirtualRun(cluster, "n1");
    Promise<Duration> waited = Promise.promise();
    run.all(session -> session.needCheckpoint().compose(first -> {
      assertThat(first).as("the first tells what one costs").isTrue();
      return run.checkpoint(session, 1);
    }).compose(_ -> {
      Instant end = cluster.now();
      return untilNeeded(cluster, session).onSuccess(_ -> waited.complete(Duration.between(end, cluster.now())));
    }).compose(_ -> session.finish()));
    JsonObject complete = cluster.bus().events().stream()
        .filter(event -> event.getString("type").equals("dataset-complete")).findFirst().orElseThrow();
    Duration cost = Duration.ofNanos(complete.getJsonObject("extent").getLong("phaseUs") * 1000);
    assertThat(waited.future().result())
        .isBetween(cost.multipliedBy(99).minus(MESSAGES), cost.multipliedBy(99).plus(MESSAGES));
  }
}
