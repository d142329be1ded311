package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Scr;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the death of a node at any moment of a restart with a rebuild causes no deadlock and no loss. Once its daemon
 * is back the same checkpoint is restored with all its bytes.
 *
 * <p>Method: a walk over the messages of the restart; at each of them the leader, or the spare node, dies.
 */
class RestartWalkTest extends EmbeddedTest {
  private static final String[] NEXT = {"n1", "n2", "n5", "n4"};

  static Stream<Arguments> moments() {
    List<KillAt.Point> points = new ArrayList<>();
    List.of("header", "restore").forEach(verb -> points.add(KillAt.Point.verb(verb, 1)));
    for (int nth : List.of(1, 3)) {
      List.of("verify", "run-begin", "protect", "protect-commit")
          .forEach(verb -> points.add(KillAt.Point.verb(verb, nth)));
      List.of("HAVE_RESTART", "START_RESTART", "COMPLETE_RESTART", "FINALIZE")
          .forEach(step -> points.add(KillAt.Point.gather(step, nth)));
    }
    List.of(1, 2, 5, 6, 13, 14).forEach(nth -> points.add(KillAt.Point.gathered(nth)));
    return points.stream().flatMap(point -> Stream.of(Arguments.of(point, "n1"), Arguments.of(point, "n5")));
  }

  @ParameterizedTest(name = "{1} dies at {0}")
  @MethodSource("moments")
  void aNodeThatDiesAtAnyMomentOfARestartHangsNobodyAndLosesNothing(KillAt.Point point, String victim)
      throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR),
            "n1", "n2", "n3", "n4");
        KillAt killer = new KillAt(vertx, point, () -> cluster.nodes().kill(victim))) {
      cluster.steps(1, 2, "n1", "n2", "n3", "n4");
      cluster.lose("n3");
      cluster.nodes().start("n5");
      killer.arm();
      List<CompletableFuture<Optional<Integer>>> ranks = cluster.run(NEXT).start(scr -> {
        int step = RankProgram.restart(scr, 3);
        scr.finish();
        return Optional.of(step);
      });
      for (CompletableFuture<Optional<Integer>> rank : ranks) {
        outcome(rank).ifPresent(step -> assertThat(step).isEqualTo(2));
      }
      killer.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      cluster.nodes().start(victim);
      assertThat(cluster.steps(3, 3, NEXT)).isEqualTo(2);
      assertThat(cluster.restart(NEXT)).isEqualTo(3);
    }
  }

  /**
   * The leader may have acknowledged some of the ranks, or none, when it dies. All ranks are told, and a new init of
   * all of them begins the run. Where it has had a rank itself, that one never comes again.
   */
  @ParameterizedTest(name = "the leader dies at {0} {1}, ranks of its own: {2}")
  @CsvSource({"join, 1, false", "join, 2, false", "joined, 1, false", "joined, 2, false", "joined, 3, true"})
  void aLeaderThatDiesWhileItBringsTheRanksTogetherLeavesNobodyWaiting(String what, int nth, boolean ranksOfItsOwn)
      throws Exception {
    KillAt.Point point = what.equals("join") ? KillAt.Point.verb("join", nth) : KillAt.Point.joined(nth);
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n0", "n1", "n2");
        KillAt killer = new KillAt(vertx, point, () -> cluster.nodes().kill("n0"))) {
      killer.arm();
      EmbeddedRun run = cluster.run(ranksOfItsOwn ? new String[] {"n0", "n1", "n2"} : new String[] {"n1", "n1", "n2"});
      List<CompletableFuture<Integer>> ranks = run.start(RestartWalkTest::beginsAndEnds);
      // a rank that hears of the loss arrives again, over another connection, as a new process would
      for (int rank = ranksOfItsOwn ? 1 : 0; rank < 3; rank++) {
        ranks.set(rank, arrivesUntilItBegins(run, rank, ranks.get(rank), ranksOfItsOwn));
      }
      for (CompletableFuture<Integer> rank : ranks.subList(ranksOfItsOwn ? 1 : 0, 3)) {
        assertThat(rank.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo(ranksOfItsOwn ? 0 : 1);
      }
      assertThat(killer.hasStruck()).isTrue();
      assertThat(cluster.restart("n1", "n1", "n2")).isZero();
    }
  }

  /** The leader dies before the first node has an answer. Transparent failover of its ranks to the next one. */
  @Test
  void ranksThatALeaderHasNotAnsweredBeginUnderTheNextOne() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n0", "n1", "n2");
        KillAt killer = new KillAt(vertx, KillAt.Point.verb("join", 1), () -> cluster.nodes().kill("n0"))) {
      killer.arm();
      EmbeddedRun run = cluster.run("n1", "n2");
      CompletableFuture<Integer> first = run.start(0, RestartWalkTest::beginsAndEnds);
      killer.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      CompletableFuture<Integer> second = run.start(1, RestartWalkTest::beginsAndEnds);
      assertThat(EmbeddedRun.all(List.of(first, second))).containsExactly(1, 1);
    }
  }

  private static int beginsAndEnds(Scr scr) throws Exception {
    scr.finish();
    return 1;
  }

  private static CompletableFuture<Integer> arrivesUntilItBegins(
      EmbeddedRun run, int rank, CompletableFuture<Integer> first, boolean givesUp) {
    return first.exceptionallyCompose(failure -> {
      Throwable cause = failure instanceof java.util.concurrent.CompletionException e ? e.getCause() : failure;
      assertThat(cause).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST));
      return givesUp ? CompletableFuture.completedFuture(0)
          : arrivesUntilItBegins(run, rank, run.start(rank, RestartWalkTest::beginsAndEnds), false);
    });
  }

  /** Returns what the rank has read. Empty if it was told of the loss, or its node accepts no more transfers. */
  private static Optional<Integer> outcome(CompletableFuture<Optional<Integer>> rank) throws Exception {
    return rank.exceptionally(failure -> {
      Throwable cause = failure instanceof java.util.concurrent.CompletionException e ? e.getCause() : failure;
      assertThat(cause).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST, Fault.STOPPING));
      return Optional.empty();
    }).get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
  }
}
