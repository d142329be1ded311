package io.vertxscr.service.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertxscr.flow.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.run.CallService.Caller;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: whatever is lost while a run begins, ends, or the next one begins, every rank that waits is answered, and the
 * next attempt of all of them begins.
 *
 * <p>Method: the services of four nodes on a bus of the test, which delivers messages, answers and the news of a loss
 * in an order of its own; a node, mostly the leader, dies at some message of it. Where it had ranks, they may have
 * been lost before anybody knew of them; whoever waits for those is ended then, as a launcher would do it. Replay with
 * -Dseed=N.
 */
class RunLifeWalkTest {
  private static final int WALKS = 150;
  private static final int RUNS = 2;
  private static final int ATTEMPTS = 6;
  private static final long QUIET_MS = 250;
  private static Vertx vertx;

  /** A process: what becomes of it, its runs one after the other, each over a connection of its own. */
  private final class Rank {
    private final SimulatedNodes nodes;
    private final String node;
    private final int rank;
    private final int ranks;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile String client = "";

    Rank(SimulatedNodes nodes, String node, int rank, int ranks) {
      this.nodes = nodes;
      this.node = node;
      this.rank = rank;
      this.ranks = ranks;
    }

    Future<Void> live(int runs) {
      if (runs == 0) {
        return Future.succeededFuture();
      }
      String mine = "connection " + connections.incrementAndGet();
      client = mine;
      return nodes.call(node, it -> it.runs().init(new InitRequest(rank, ranks, "/p", "job"), mine))
          .compose((InitReply reply) -> nodes.call(node, it -> it.calls().call(
              new Caller(reply.run(), rank, 1, mine), Step.FINALIZE, "", 0, true)))
          .compose(_ -> live(runs - 1));
    }

    boolean isOnDeadNode() {
      return !nodes.alive().contains(node);
    }

    /** Whether it was refused because the end of the run before it was not known yet. */
    boolean cameTooSoon() {
      return end.isCompletedExceptionally() && Fault.of(end.exceptionNow()) == Fault.RUN_IN_PROGRESS;
    }
  }

  private final AtomicInteger connections = new AtomicInteger();

  @BeforeAll
  static void openVertx() {
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void closeVertx() {
    vertx.close().await();
  }

  static LongStream seeds() {
    Long one = Long.getLong("seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, WALKS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nobodyWaitsForEverAndTheNextAttemptBegins(long seed) throws Exception {
    Random random = new Random(seed);
    SimulatedNodes nodes = new SimulatedNodes(vertx, random);
    String victim = random.nextInt(4) > 0 ? "n1" : "n" + (2 + random.nextInt(3));
    nodes.dies(victim, random.nextInt(60));
    for (int attempt = 1; !begins(nodes, random); attempt++) {
      assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
    }
    assertThat(nodes.errors()).isEmpty();
  }

  /** All ranks call init, on nodes that are alive now; whether all of them come to the end of all their runs. */
  private boolean begins(SimulatedNodes nodes, Random random) throws Exception {
    List<String> alive = nodes.alive();
    int count = 1 + random.nextInt(5);
    List<Rank> ranks = IntStream.range(0, count)
        .mapToObj(rank -> new Rank(nodes, alive.get(random.nextInt(alive.size())), rank, count)).toList();
    ranks.forEach(rank -> rank.live(RUNS).onComplete((_, failure) -> {
      if (failure == null) {
        rank.end.complete(null);
      } else {
        nodes.closed(rank.node, rank.client);
        rank.end.completeExceptionally(failure);
      }
    }));
    awaitQuiet(nodes, ranks);
    if (ranks.stream().anyMatch(rank -> rank.isOnDeadNode() || rank.cameTooSoon())) {
      ranks.forEach(rank -> nodes.closed(rank.node, rank.client));
      awaitQuiet(nodes, ranks);
    }
    boolean all = true;
    for (Rank rank : ranks) {
      assertThat(rank.end.isDone() || rank.isOnDeadNode())
          .as(() -> "rank " + rank.rank + " on " + rank.node + " waits\n" + nodes.story()).isTrue();
      all &= !rank.isOnDeadNode() && succeeded(nodes, rank);
    }
    return all;
  }

  /** Until all have come to an end, or nothing happens any more. */
  private static void awaitQuiet(SimulatedNodes nodes, List<Rank> ranks) {
    long quietSince = System.nanoTime();
    for (long events = -1; System.nanoTime() - quietSince < TimeUnit.MILLISECONDS.toNanos(QUIET_MS); ) {
      boolean quiet = nodes.isQuiet();
      if (quiet && ranks.stream().allMatch(rank -> rank.end.isDone() || rank.isOnDeadNode())) {
        return;
      }
      if (events != nodes.events()) {
        events = nodes.events();
        quietSince = System.nanoTime();
      }
      vertx.timer(1, TimeUnit.MILLISECONDS).await();
    }
  }

  /** Whoever was in vain has heard of a loss. */
  private static boolean succeeded(SimulatedNodes nodes, Rank rank) throws Exception {
    try {
      rank.end.get(0, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOfSatisfying(ScrException.class, cause ->
          assertThat(cause.fault()).as(() -> cause.getMessage() + "\n" + nodes.story()).isIn(
              Fault.NODE_LOST, Fault.RANK_LOST, Fault.RUN_IN_PROGRESS));
      return false;
    }
  }
}
