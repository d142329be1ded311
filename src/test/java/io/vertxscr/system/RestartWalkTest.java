package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the death of a node at any moment of a restart with a rebuild causes no deadlock and no loss. Once its daemon
 * is back the same checkpoint is restored with all its bytes.
 *
 * <p>Method: nodes in virtual time; a walk over the messages of the restart; at each of them the leader, or the spare
 * node, dies. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class RestartWalkTest {
  private static final String[] NEXT = {"n1", "n2", "n5", "n4"};
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;

  static Stream<Arguments> moments() {
    return points().stream().flatMap(point -> Stream.of(Arguments.of(point, "n1"), Arguments.of(point, "n5")));
  }

  private static List<DeathAt.Point> points() {
    List<DeathAt.Point> points = new ArrayList<>();
    List.of("header", "restore").forEach(verb -> points.add(DeathAt.Point.verb(verb, 1)));
    for (int nth : List.of(1, 3)) {
      List.of("verify", "run-begin", "protect", "protect-commit")
          .forEach(verb -> points.add(DeathAt.Point.verb(verb, nth)));
      List.of("HAVE_RESTART", "START_RESTART", "COMPLETE_RESTART", "FINALIZE")
          .forEach(step -> points.add(DeathAt.Point.gather(step, nth)));
    }
    List.of(1, 2, 5, 6, 13, 14).forEach(nth -> points.add(DeathAt.Point.gathered(nth)));
    return points;
  }

  private VirtualCluster cluster(long seed, String... nodes) throws IOException {
    VirtualCluster cluster =
        VirtualClusters.in(new Random(seed), directory.resolve("walk"), Map.of("SCR_COPY_TYPE", "XOR"));
    cluster.start(nodes);
    return cluster;
  }

  @ParameterizedTest(name = "{1} dies at {0}")
  @MethodSource("moments")
  void aNodeThatDiesAtAnyMomentOfARestartHangsNobodyAndLosesNothing(DeathAt.Point point, String victim)
      throws Exception {
    walk(SEED, point, victim);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aSeedReplaysToTheByte(long seed) throws Exception {
    Random random = new Random(seed);
    DeathAt.Point point = points().get(random.nextInt(points().size()));
    String victim = NEXT[random.nextInt(NEXT.length)];
    assertThat(walk(seed, point, victim)).isEqualTo(walk(seed, point, victim)).contains(victim + " dies");
  }

  /** Walks; returns all that has happened. */
  private String walk(long seed, DeathAt.Point point, String victim) throws Exception {
    VirtualCluster cluster = cluster(seed, "n1", "n2", "n3", "n4");
    new VirtualRun(cluster, "n1", "n2", "n3", "n4").steps(1, 2);
    cluster.kill("n3");
    cluster.loseStorage("n3");
    cluster.start("n5");
    cluster.launch();
    DeathAt death = new DeathAt(cluster, point, () -> cluster.kill(victim));
    death.arm();
    VirtualRun run = new VirtualRun(cluster, NEXT);
    List<Future<Integer>> ranks =
        run.start(session -> run.restart(session).compose(step -> session.finish().map(step)));
    for (int rank = 0; rank < NEXT.length; rank++) {
      if (!NEXT[rank].equals(victim)) {
        outcome(cluster.await(ranks.get(rank)));
      }
    }
    cluster.awaits(point.name(), death::hasStruck);
    cluster.start(victim);
    cluster.launch();
    assertThat(new VirtualRun(cluster, NEXT).steps(3, 3)).isEqualTo(2);
    assertThat(new VirtualRun(cluster, NEXT).steps(1, 0)).isEqualTo(3);
    return cluster.story();
  }

  /** A rank has read the step, or heard of the loss. */
  private static void outcome(Future<Integer> rank) {
    if (rank.succeeded()) {
      assertThat(rank.result()).isEqualTo(2);
    } else {
      heardOfTheLoss(rank.cause());
    }
  }

  private static void heardOfTheLoss(Throwable cause) {
    assertThat(cause).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST));
  }

  /**
   * The leader may have acknowledged some of the ranks, or none, when it dies. All ranks are told, and a new init of
   * all of them begins the run. Where it has had a rank itself, that one never comes again.
   */
  @ParameterizedTest(name = "the leader dies at {0} {1}, ranks of its own: {2}")
  @CsvSource({"join, 1, false", "join, 2, false", "joined, 1, false", "joined, 2, false", "joined, 3, true"})
  void aLeaderThatDiesWhileItBringsTheRanksTogetherLeavesNobodyWaiting(String what, int nth, boolean ranksOfItsOwn)
      throws Exception {
    DeathAt.Point point = what.equals("join") ? DeathAt.Point.verb("join", nth) : DeathAt.Point.joined(nth);
    VirtualCluster cluster = cluster(SEED, "n0", "n1", "n2");
    DeathAt death = new DeathAt(cluster, point, () -> cluster.kill("n0"));
    death.arm();
    VirtualRun run =
        ranksOfItsOwn ? new VirtualRun(cluster, "n0", "n1", "n2") : new VirtualRun(cluster, "n1", "n1", "n2");
    List<Future<Integer>> ranks = run.start(RestartWalkTest::beginsAndEnds);
    // a rank that hears of the loss arrives again, over another connection, as a new process would
    for (int rank = ranksOfItsOwn ? 1 : 0; rank < 3; rank++) {
      ranks.set(rank, arrivesUntilItBegins(run, rank, ranks.get(rank), ranksOfItsOwn));
    }
    for (Future<Integer> rank : ranks.subList(ranksOfItsOwn ? 1 : 0, 3)) {
      assertThat(cluster.await(rank).result()).isEqualTo(ranksOfItsOwn ? 0 : 1);
    }
    assertThat(death.hasStruck()).isTrue();
    cluster.launch();
    assertThat(new VirtualRun(cluster, "n1", "n1", "n2").steps(1, 0)).isZero();
  }

  /** The leader dies before the first node has an answer. Transparent failover of its ranks to the next one. */
  @Test
  void ranksThatALeaderHasNotAnsweredBeginUnderTheNextOne() throws Exception {
    VirtualCluster cluster = cluster(SEED, "n0", "n1", "n2");
    DeathAt death = new DeathAt(cluster, DeathAt.Point.verb("join", 1), () -> cluster.kill("n0"));
    death.arm();
    VirtualRun run = new VirtualRun(cluster, "n1", "n2");
    Future<Integer> first = run.start(0, RestartWalkTest::beginsAndEnds);
    cluster.awaits("the leader is dead", death::hasStruck);
    Future<Integer> second = run.start(1, RestartWalkTest::beginsAndEnds);
    assertThat(cluster.await(first).result()).isEqualTo(1);
    assertThat(cluster.await(second).result()).isEqualTo(1);
  }

  private static Future<Integer> beginsAndEnds(VirtualSession session) {
    return session.finish().map(1);
  }

  private static Future<Integer> arrivesUntilItBegins(
      VirtualRun run, int rank, Future<Integer> first, boolean givesUp) {
    return first.recover(failure -> {
      heardOfTheLoss(failure);
      return givesUp ? Future.succeededFuture(0)
          : arrivesUntilItBegins(run, rank, run.start(rank, RestartWalkTest::beginsAndEnds), false);
    });
  }
}
