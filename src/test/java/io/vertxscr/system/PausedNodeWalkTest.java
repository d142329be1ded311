package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a node that was paused takes part in the next run. That holds for any leader and any pause. Method: a node
 * of four in virtual time, often the leader, stands still for up to 20 s; sometimes ranks call init meanwhile, and are
 * killed; then all ranks call init at once. Two more runs follow. Replay with -Dseed=N; -Dwalks=N for more of them.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PausedNodeWalkTest {
  private static final int WALKS = Integer.getInteger("walks", 40);
  /** A leader that went on noted ranks, of a killed attempt or of the new one, before it heard that it was alone. */
  private static final long[] LEADER_GIVEN_UP = {70, 141, 369, 687, 738, 767, 975};
  private static final int LATE_MISSES = 12;
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;

  static LongStream seeds() {
    Long one = Long.getLong("seed");
    return one != null ? LongStream.of(one) : LongStream.concat(
        LongStream.range(0, WALKS), LongStream.of(LEADER_GIVEN_UP).filter(seed -> seed >= WALKS));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void allRanksBeginTheNextRunAfterAPause(long seed) throws Exception {
    Random random = new Random(seed);
    VirtualCluster cluster = VirtualClusters.in(random, directory.resolve("walk"), Map.of("SCR_FLUSH", "0"));
    cluster.start(NODES);
    String[] nodeOfRank = random.nextBoolean() ? NODES : new String[] {"n2", "n3", "n4", "n2"};
    VirtualRun run = new VirtualRun(cluster, nodeOfRank);
    assertThat(run.steps(1, 1)).isZero();
    String victim = random.nextBoolean() ? "n1" : NODES[random.nextInt(NODES.length)];
    cluster.pause(victim);
    cluster.pass(Duration.ofMillis(random.nextInt(20_000)));
    List<ScrClient> early = random.nextBoolean() ? inits(cluster, random, nodeOfRank) : List.of();
    cluster.pass(Duration.ofMillis(random.nextInt(3_000)));
    if (!early.isEmpty()) {
      early.forEach(ScrClient::close);
      cluster.launch();
    }
    cluster.resume(victim);
    cluster.pass(Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(12_000)));
    assertThat(begins(cluster, run)).as(cluster::story).isEqualTo(1);
    assertThat(run.steps(3, 3)).isEqualTo(2);
    assertThat(run.steps(4, 4)).isEqualTo(3);
  }

  static LongStream seedsOfLateMisses() {
    Long one = Long.getLong("seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Math.min(WALKS, LATE_MISSES));
  }

  /** A pause that nobody has noticed by its end: the others drop the node when ranks have called init. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seedsOfLateMisses")
  void whereItIsMissedAmidInitRanksThatCallAgainBegin(long seed) throws Exception {
    Random random = new Random(seed);
    VirtualCluster cluster = VirtualClusters.in(random, directory.resolve("walk"), Map.of("SCR_FLUSH", "0"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 1)).isZero();
    String victim = random.nextBoolean() ? "n1" : NODES[random.nextInt(NODES.length)];
    cluster.pause(victim);
    cluster.pass(Duration.ofMillis(random.nextInt(5_000)));
    cluster.resume(victim);
    List<Future<Integer>> ranks = IntStream.range(0, NODES.length).mapToObj(rank -> untilItBegins(run, rank)).toList();
    cluster.pass(Duration.ofMillis(random.nextInt(1 + random.nextInt(200))));
    cluster.miss(victim);
    ranks.forEach(cluster::await);
    assertThat(ranks).as(cluster::story).allMatch(rank -> rank.succeeded() && rank.result() == 1);
  }

  /** A rank that calls init again where it hears that a node is lost. */
  private static Future<Integer> untilItBegins(VirtualRun run, int rank) {
    return run.start(rank, session -> run.restart(session).compose(step -> session.finish().map(step)))
        .recover(failure -> Fault.of(failure) == Fault.NODE_LOST ? untilItBegins(run, rank)
            : Future.failedFuture(failure));
  }

  /** Ranks of a first attempt, on the nodes of the second one, which are killed before it begins. */
  private static List<ScrClient> inits(VirtualCluster cluster, Random random, String[] nodeOfRank) {
    List<ScrClient> clients = new ArrayList<>();
    for (int rank = 0; rank < NODES.length; rank++) {
      if (random.nextBoolean()) {
        ScrClient client = cluster.client(nodeOfRank[rank]);
        client.init(new InitRequest(rank, NODES.length, cluster.prefix().toString(), "test"));
        clients.add(client);
      }
    }
    return clients;
  }

  /** A run that begins within half a minute of virtual time, and writes its second step. */
  private static int begins(VirtualCluster cluster, VirtualRun run) {
    Promise<Void> late = Promise.promise();
    cluster.later(30_000).onComplete(late);
    List<Integer> begun = new ArrayList<>();
    List<Future<Integer>> ranks = run.start(session -> {
      begun.add(session.rank());
      return run.restart(session).compose(step -> run.checkpoints(session, 2, 2)
          .compose(_ -> session.finish()).map(step));
    });
    cluster.awaits("all ranks have begun, or it is too late",
        () -> begun.size() == NODES.length || late.future().isComplete() || ranks.stream().anyMatch(Future::failed));
    ranks.forEach(cluster::await);
    assertThat(ranks).as(cluster::story).noneMatch(Future::failed);
    assertThat(ranks.stream().map(Future::result).distinct()).as(cluster::story).hasSize(1);
    return ranks.getFirst().result();
  }
}
