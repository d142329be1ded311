package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: what was dropped is nowhere, also if it was to be flushed or was being rebuilt.
 * Method: nodes in virtual time; the older of two checkpoints, of which one node's part is lost, is dropped at any
 * moment of its rebuild on a spare. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(240)
class DropWalkTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final String[] WITH_SPARE = {"n1", "n2", "n3", "n5"};

  @TempDir
  Path directory;

  static Stream<Arguments> seeds() {
    Long given = Long.getLong("seed");
    return (given == null ? LongStream.rangeClosed(1, Long.getLong("seeds", 12)) : LongStream.of(given)).boxed()
        .flatMap(seed -> Stream.of(Arguments.of(seed, false), Arguments.of(seed, true)));
  }

  @ParameterizedTest(name = "seed {0}, to be flushed: {1}")
  @MethodSource("seeds")
  void whatIsDroppedWhileItIsRebuiltIsNowhere(long seed, boolean flushed) throws Exception {
    Random random = new Random(seed);
    VirtualCluster cluster = VirtualClusters.in(random, directory.resolve("walk"), Map.of("SCR_COPY_TYPE", "XOR",
        "SCR_FLUSH", flushed ? "1" : "0", "SCR_FLUSH_ASYNC_BW", "1000", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.checkpoints(session, 1, 2).compose(_ -> cluster.later(1000)));
    cluster.launch();
    cluster.start("n5");
    cluster.kill("n4");
    cluster.loseStorage("n4");
    cluster.pass(Duration.ofMillis(random.nextInt(1 + random.nextInt(20_000))));
    long delayMs = random.nextInt(1 + random.nextInt(100));
    VirtualRun next = new VirtualRun(cluster, WITH_SPARE);
    next.all(session -> next.restart(session).compose(_ -> cluster.later(1 + delayMs))
        .compose(_ -> Future.fromCompletionStage(session.session().drop("step-1")))
        .compose(_ -> cluster.later(1000)));
    cluster.pass(Duration.ofMinutes(5));
    for (String node : WITH_SPARE) {
      assertThat(cluster.store(node).find(1)).as("dataset 1 on %s", node).isEmpty();
      assertThat(cluster.store(node).find(2)).as("dataset 2 on %s", node).isPresent();
    }
    assertThat(cluster.prefix().resolve("step-1/rank-0-0")).doesNotExist();
  }
}
