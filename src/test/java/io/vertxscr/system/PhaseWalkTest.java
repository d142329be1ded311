package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the death of a node at any moment of a phase causes no deadlock and no loss. A complete dataset can be restored
 * with all its bytes after the loss of that node's storage, otherwise the previous checkpoint can.
 *
 * <p>Method: a walk over all messages of the third checkpoint of a run, with a synchronous flush; at each of them the
 * leader, or another node, dies.
 */
class PhaseWalkTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  static Stream<Arguments> moments() {
    List<KillAt.Point> points = new ArrayList<>();
    for (int nth : List.of(1, 3)) {
      List.of("START_OUTPUT", "COMPLETE_OUTPUT", "PROTECTED", "FLUSHED")
          .forEach(step -> points.add(KillAt.Point.gather(step, nth)));
      List.of("claim-paths", "layout", "checksums", "flush-copy", "flush-publish", "flushed")
          .forEach(verb -> points.add(KillAt.Point.verb(verb, nth)));
    }
    points.add(KillAt.Point.verb("flush-map", 1));
    // results of START (1 to 4), COMPLETE (5 to 8), PROTECTED (9 to 12) and FLUSHED: before any is told, and after one
    List.of(1, 2, 5, 6, 9, 10, 13, 14).forEach(nth -> points.add(KillAt.Point.gathered(nth)));
    return points.stream().flatMap(point ->
        Stream.of(Arguments.of(point, "n1"), Arguments.of(point, "n3")));
  }

  @ParameterizedTest(name = "{1} dies at {0}")
  @MethodSource("moments")
  void aNodeThatDiesAtAnyMomentOfAPhaseHangsNobodyAndLosesNothing(KillAt.Point point, String victim)
      throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory,
            TestCluster.Setup.of(Scheme.XOR).flushing(3, false), NODES);
        KillAt killer = new KillAt(vertx, point, () -> lose(cluster, victim))) {
      boolean complete = thirdCheckpoint(cluster, killer, victim);
      killer.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      cluster.nodes().start("n5");
      String[] next = Stream.of(NODES).map(node -> node.equals(victim) ? "n5" : node).toArray(String[]::new);
      int step = cluster.steps(4, 4, next);
      assertThat(step).isBetween(complete ? 3 : 2, 3);
      assertThat(cluster.restart(next)).isEqualTo(4);
    }
  }

  private static void lose(TestCluster cluster, String node) {
    try {
      cluster.lose(node);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Runs until the node is dead; whether some rank was told that the third checkpoint is complete. */
  private static boolean thirdCheckpoint(TestCluster cluster, KillAt killer, String victim) throws Exception {
    java.util.concurrent.CyclicBarrier two = new java.util.concurrent.CyclicBarrier(NODES.length, killer::arm);
    List<CompletableFuture<Optional<ScrException>>> ranks = cluster.run(NODES).start(scr -> {
      RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
      RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
      two.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      try {
        RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
      } catch (ScrException e) {
        return Optional.of(e);
      }
      killer.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      return Optional.empty();
    });
    boolean complete = false;
    for (int rank = 0; rank < NODES.length; rank++) {
      // Here a rank outlives its daemon, and may hear its last words.
      List<Fault> told = NODES[rank].equals(victim) ? List.of(Fault.NODE_LOST, Fault.RANK_LOST, Fault.STOPPING)
          : List.of(Fault.NODE_LOST, Fault.RANK_LOST);
      try {
        Optional<ScrException> failure = ranks.get(rank).get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        complete |= failure.isEmpty();
        failure.ifPresent(e -> assertThat(e.fault()).as(e.getMessage()).isIn(told));
      } catch (ExecutionException e) {
        assertThat(e.getCause()).as("files of a node that has lost its storage")
            .isInstanceOf(java.io.IOException.class);
      }
    }
    return complete;
  }
}
