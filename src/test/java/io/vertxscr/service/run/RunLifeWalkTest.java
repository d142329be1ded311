package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.run.CollectiveCalls.Caller;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: ranks are always answered under losses at the begin and end of a run. The next attempt of all begins.
 *
 * <p>Method: the services of four nodes in virtual time, on a bus of the test which delivers messages, answers and the
 * news of a loss in an order of its own; a node, mostly the leader, dies at some message of it. Where it had ranks,
 * they may have been lost before anybody knew of them; those who wait for these are ended then, as a launcher would do.
 * A launcher needs longer to start ranks again than a message takes. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class RunLifeWalkTest {
  private static final int WALKS = 1000;
  private static final int REPLAYED = 100;
  private static final int RUNS = 2;
  private static final int ATTEMPTS = 6;
  /** Longer than any wait that ends by itself. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LAUNCH = Duration.ofMillis(250);

  /** A process: what becomes of it, its runs one after the other, each over a connection of its own. */
  private final class Rank {
    private final SimulatedNodes nodes;
    private final String node;
    private final int rank;
    private final int ranks;
    private final Promise<Void> end = Promise.promise();
    private String client = "";

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
      String mine = "connection " + ++connections;
      client = mine;
      return nodes.call(node, it -> it.runs().init(new InitRequest(rank, ranks, "/p", "job"), mine))
          .compose((InitReply reply) -> nodes.call(node, it -> it.calls().call(
              new Caller(reply.run(), rank, 1, mine), Step.FINALIZE, "", 0, true)))
          .compose(_ -> live(runs - 1));
    }

    boolean hasEnded() {
      return end.future().isComplete();
    }

    boolean isOnDeadNode() {
      return !nodes.alive().contains(node);
    }

    /** Whether it was refused because the end of the run before it was not known yet. */
    boolean cameTooSoon() {
      return end.future().failed() && Fault.of(end.future().cause()) == Fault.RUN_IN_PROGRESS;
    }
  }

  private int connections;

  static LongStream seeds() {
    Long one = Long.getLong("seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, WALKS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nobodyWaitsForEverAndTheNextAttemptBegins(long seed) {
    walk(seed);
  }

  /** Walks; returns all that has happened. */
  private String walk(long seed) {
    Random random = new Random(seed);
    SimulatedNodes nodes = new SimulatedNodes(random);
    String victim = random.nextInt(4) > 0 ? "n1" : "n" + (2 + random.nextInt(3));
    nodes.dies(victim, random.nextInt(60));
    for (int attempt = 1; !begins(nodes, random); attempt++) {
      assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
    }
    assertThat(nodes.errors()).isEmpty();
    return nodes.story();
  }

  /** Sets of the JDK iterate in another order in every process, so one process alone would prove little. */
  @Test
  void aSeedReplaysToTheByteInAnotherProcess() throws Exception {
    Process other = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
        "-cp", System.getProperty("java.class.path"), RunLifeWalkTest.class.getName())
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String theirs = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(other.waitFor()).isZero();
    assertThat(theirs.lines().filter(line -> line.startsWith("seed ")).toList()).hasSize(REPLAYED)
        .isEqualTo(LongStream.range(0, REPLAYED).mapToObj(RunLifeWalkTest::digest).toList());
  }

  /** Prints what becomes of the first seeds, a line each. */
  public static void main(String[] none) {
    LongStream.range(0, REPLAYED).mapToObj(RunLifeWalkTest::digest).forEach(System.out::println);
  }

  private static String digest(long seed) {
    try {
      byte[] story = new RunLifeWalkTest().walk(seed).getBytes(StandardCharsets.UTF_8);
      return "seed " + seed + ": " + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(story));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has all ranks call init on live nodes; returns whether all of them reach the end of all their runs. */
  private boolean begins(SimulatedNodes nodes, Random random) {
    List<String> alive = nodes.alive();
    int count = 1 + random.nextInt(5);
    List<Rank> ranks = IntStream.range(0, count)
        .mapToObj(rank -> new Rank(nodes, alive.get(random.nextInt(alive.size())), rank, count)).toList();
    ranks.forEach(rank -> rank.live(RUNS).onComplete((_, failure) -> {
      if (failure != null) {
        nodes.closed(rank.node, rank.client);
      }
      rank.end.complete(null, failure);
    }));
    awaitQuiet(nodes, ranks);
    if (ranks.stream().anyMatch(rank -> rank.isOnDeadNode() || rank.cameTooSoon())) {
      ranks.forEach(rank -> nodes.closed(rank.node, rank.client));
      awaitQuiet(nodes, ranks);
    }
    nodes.runUntil(() -> false, LAUNCH);
    boolean all = true;
    for (Rank rank : ranks) {
      assertThat(rank.hasEnded() || rank.isOnDeadNode())
          .as(() -> "rank " + rank.rank + " on " + rank.node + " waits\n" + nodes.story()).isTrue();
      all &= !rank.isOnDeadNode() && succeeded(nodes, rank);
    }
    return all;
  }

  /** Until all have come to an end, or would wait forever. */
  private static void awaitQuiet(SimulatedNodes nodes, List<Rank> ranks) {
    nodes.runUntil(() -> ranks.stream().allMatch(rank -> rank.hasEnded() || rank.isOnDeadNode()), PATIENCE);
  }

  /** An attempt that fails has heard of a loss. */
  private static boolean succeeded(SimulatedNodes nodes, Rank rank) {
    Throwable failure = rank.end.future().cause();
    if (failure != null) {
      assertThat(failure).isInstanceOfSatisfying(ScrException.class, cause ->
          assertThat(cause.fault()).as(() -> cause.getMessage() + "\n" + nodes.story()).isIn(
              Fault.NODE_LOST, Fault.RANK_LOST, Fault.RUN_IN_PROGRESS));
    }
    return failure == null;
  }
}
