package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the death of a node at any moment of a phase causes no deadlock and no loss. A complete dataset can be restored
 * with all its bytes after the loss of that node's storage, otherwise the previous checkpoint can.
 *
 * <p>Method: nodes in virtual time; a walk over all messages of the third checkpoint of a run, with a synchronous
 * flush, with small files and with others; at each of them the leader, or another node, dies. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PhaseWalkTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  /** Messages of members that pull what they protect; small files come with the claims of their paths. */
  private static final List<String> PULLED = List.of("layout", "checksums");
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;

  static Stream<Arguments> moments() {
    return points().stream().flatMap(point -> Stream.of(Arguments.of(point, "n1"), Arguments.of(point, "n3")));
  }

  private static List<DeathAt.Point> points() {
    List<DeathAt.Point> points = new ArrayList<>();
    for (int nth : List.of(1, 3)) {
      List.of("START_OUTPUT", "COMPLETE_OUTPUT", "PROTECTED", "FLUSHED")
          .forEach(step -> points.add(DeathAt.Point.gather(step, nth)));
      List.of("claim-paths", "layout", "checksums", "flush-copy", "flush-publish", "flushed")
          .forEach(verb -> points.add(DeathAt.Point.verb(verb, nth)));
    }
    points.add(DeathAt.Point.verb("flush-map", 1));
    // results of START (1 to 4), COMPLETE (5 to 8), PROTECTED (9 to 12) and FLUSHED: before any is told, and after one
    List.of(1, 2, 5, 6, 9, 10, 13, 14).forEach(nth -> points.add(DeathAt.Point.gathered(nth)));
    return points;
  }

  @ParameterizedTest(name = "{1} dies at {0}")
  @MethodSource("moments")
  void aNodeThatDiesAtAnyMomentOfAPhaseHangsNobodyAndLosesNothing(DeathAt.Point point, String victim)
      throws Exception {
    walk(SEED, point, victim);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aSeedReplaysToTheByte(long seed) throws Exception {
    Random random = new Random(seed);
    DeathAt.Point point = points().get(random.nextInt(points().size()));
    String victim = NODES[random.nextInt(NODES.length)];
    assertThat(walk(seed, point, victim)).isEqualTo(walk(seed, point, victim)).contains(victim + " dies");
  }

  /** Walks; returns all that has happened. */
  private String walk(long seed, DeathAt.Point point, String victim) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(seed), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "3", "SCR_FLUSH_ASYNC", "0", "SCR_SMALL_BYTES",
            PULLED.stream().anyMatch(point.name()::startsWith) ? "0" : "64KB"));
    cluster.start(NODES);
    DeathAt death = new DeathAt(cluster, point, () -> {
      cluster.kill(victim);
      cluster.loseStorage(victim);
    });
    boolean complete = thirdCheckpoint(cluster, death, victim);
    cluster.awaits(point.name(), death::hasStruck);
    cluster.start("n5");
    cluster.launch();
    String[] next = Stream.of(NODES).map(node -> node.equals(victim) ? "n5" : node).toArray(String[]::new);
    int step = new VirtualRun(cluster, next).steps(4, 4);
    assertThat(step).isBetween(complete ? 3 : 2, 3);
    assertThat(new VirtualRun(cluster, next).steps(1, 0)).isEqualTo(4);
    return cluster.story();
  }

  /** Runs until all that live have ended; whether some rank was told that the third checkpoint is complete. */
  private static boolean thirdCheckpoint(VirtualCluster cluster, DeathAt death, String victim) {
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Integer> atTwo = new ArrayList<>();
    Promise<Void> two = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, 2).compose(_ -> {
      atTwo.add(session.rank());
      if (atTwo.size() == NODES.length) {
        death.arm();
        two.complete();
      }
      return two.future();
    }).compose(_ -> run.checkpoint(session, 3)));
    boolean complete = false;
    for (int rank = 0; rank < NODES.length; rank++) {
      if (!NODES[rank].equals(victim)) {
        Future<Void> end = cluster.await(ranks.get(rank));
        complete |= end.succeeded();
        if (end.failed()) {
          assertThat(end.cause()).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).as(e.getMessage()).isIn(Fault.NODE_LOST, Fault.RANK_LOST));
        }
      }
    }
    return complete || ranks.stream().anyMatch(Future::succeeded);
  }
}
