package io.vertxscr.flow.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.flush.Leases.LeaseLimits;
import io.vertxscr.flow.flush.Leases.Need;
import io.vertxscr.flow.flush.Leases.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: the limits of a file system hold over all nodes together at every moment, and are used. Method: leader and
 * nodes in virtual time, a millisecond a step, with late messages; in the walks nodes come, pause, die, are cut off and
 * lose their leader. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class LeasesSimulationTest {
  private static final int MOST_NODES = 16;
  private static final int PIECE_BYTES = 512 * 1024;
  private static final long RATE = 100_000_000;
  private static final long WINDOW_MS = 2_000;
  private static final long MS = 1_000_000;

  private final TreeMap<Long, Long> written = new TreeMap<>();
  private final PriorityQueue<Message> messages =
      new PriorityQueue<>((a, b) -> Long.compare(a.atMs, b.atMs));
  private final List<Node> nodes = new ArrayList<>();
  private Random random = new Random(1);
  private Leases leases = new Leases();
  private LeaseLimits limits = new LeaseLimits(1000, RATE);
  private long nowMs;
  private int mostWriters;

  private record Message(long atMs, Runnable action) {}

  /** Two writers; asks at half of its lease. */
  private final class Node {
    private final String name;
    private final Throttle throttle = new Throttle(0);
    private long left;
    private long leaseEndMs;
    private long askAtMs;
    private int busy;
    private int granted;
    private long inFile;
    private boolean dead;
    private boolean pauses;

    Node(String name, long bytes) {
      this.name = name;
      this.left = bytes;
      this.askAtMs = nowMs;
    }

    boolean mayWrite() {
      return !dead && !pauses && nowMs < leaseEndMs && granted >= busy && granted > 0;
    }

    void step() {
      if (dead) {
        return;
      }
      if (nowMs >= askAtMs) {
        ask();
      }
      while (mayWrite() && left > 0 && throttle.delayNs(nowMs * MS) == 0) {
        busy = Math.max(busy, (int) Math.min(Math.min(2, granted), (left + PIECE_BYTES - 1) / PIECE_BYTES));
        long piece = Math.min(PIECE_BYTES, left);
        throttle.took(piece);
        left -= piece;
        written.merge(nowMs, piece, Long::sum);
        inFile += piece;
        if (inFile >= 64 * PIECE_BYTES || left == 0) {    // both files are at their ends
          busy = 0;
          inFile = 0;
        }
        if (left == 0) {
          ask();                                          // gives back what it has
        }
      }
    }

    private void ask() {
      long asked = nowMs;
      boolean writes = left > 0;
      Need need = writes ? new Need(2, busy, left) : new Need(0, 0, 0);
      askAtMs = writes ? nowMs + Leases.MIN_LEASE_MS / 2 : Long.MAX_VALUE;
      send(() -> {
        Share share = leases.ask(name, limits, need, nowMs);
        send(() -> {
          if (asked + share.leaseMs() > leaseEndMs) {
            granted = share.writers();
            leaseEndMs = asked + share.leaseMs();
            throttle.rate(share.bytesPerSecond(), nowMs * MS);
            askAtMs = Math.min(askAtMs, nowMs + Math.max(10, share.leaseMs() / (granted > 0 ? 2 : 8)));
          }
        });
      });
    }
  }

  private void send(Runnable action) {
    messages.add(new Message(nowMs + 1 + random.nextInt(5), action));
  }

  private void run(long forMs) {
    for (long end = nowMs + forMs; nowMs < end; nowMs++) {
      while (!messages.isEmpty() && messages.peek().atMs <= nowMs) {
        messages.remove().action.run();
      }
      nodes.forEach(Node::step);
      mostWriters = Math.max(mostWriters,
          nodes.stream().filter(Node::mayWrite).mapToInt(node -> Math.max(node.busy, 0)).sum());
    }
  }

  private void start(int count, long bytes) {
    for (int i = 0; i < count; i++) {
      leases.expect("n" + nodes.size(), limits, new Need(2, 0, bytes), nowMs);
      nodes.add(new Node("n" + nodes.size(), bytes));
    }
  }

  private long bytes(long fromMs, long toMs) {
    return written.subMap(fromMs, toMs).values().stream().mapToLong(Long::longValue).sum();
  }

  private void assertRate(long fromMs, long toMs, double low, double high) {
    for (long from = fromMs; from + WINDOW_MS <= toMs; from += 50) {
      assertThat(bytes(from, from + WINDOW_MS) / (RATE * (WINDOW_MS / 1000.0)))
          .as("share of the bandwidth that is used in %d to %d ms", from, from + WINDOW_MS).isBetween(low, high);
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "4", "16"})
  void overAnyTwoSecondsNodesWriteAsMuchAsTheyMayWithinFivePercent(int count) {
    long perNode = 12 * RATE / count;
    start(count, perNode);
    run(11_000);
    assertRate(50, 11_000, 0.95, 1.05);
  }

  @Test
  void nodesWithUnequalWorkUseAllOfTheBandwidthToTheEnd() {
    for (long seconds : new long[] {1, 2, 3, 6}) {
      start(1, seconds * RATE);
    }
    run(11_400);
    assertRate(50, 11_400, 0.95, 1.05);
  }

  @Test
  void whatANodeThatDiedHadGoesToTheOthersAfterALease() {
    start(4, 10 * RATE);
    run(3_000);
    nodes.get(0).dead = true;
    nodes.get(1).dead = true;
    run(6_000);
    assertRate(0, 9_000, 0, 1.05);
    assertRate(3_000 + 2 * Leases.MIN_LEASE_MS, 9_000, 0.95, 1.05);
  }

  @Test
  void anotherLeaderGivesNothingBeforeTheLeasesOfTheFirstHaveEnded() {
    start(3, 10 * RATE);
    run(2_500);
    leases = new Leases();
    leases.takeOver(nowMs, MOST_NODES);
    run(6_000);
    assertRate(0, 8_500, 0, 1.05);
    assertRate(2_500 + Leases.MAX_LEASE_MS + 300, 8_500, 0.95, 1.05);
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "5", "8"})
  void neverDoMoreWritersWriteThanMayAndAllMayAreUsed(int writers) {
    limits = new LeaseLimits(writers, RATE);
    start(4, 3 * RATE);
    run(9_000);
    assertThat(mostWriters).isEqualTo(writers);
    assertRate(200, 9_000, 0.9, 1.05);
  }

  @Test
  void limitsHoldInEveryWalkOfNodesThatComeAndGo() {
    long first = Long.getLong("seed", 0);
    int walks = System.getProperty("seed") == null ? 60 : 1;
    for (long seed = first; seed < first + walks; seed++) {
      walk(seed);
    }
  }

  private void walk(long seed) {
    random = new Random(seed);
    leases = new Leases();
    written.clear();
    messages.clear();
    nodes.clear();
    mostWriters = 0;
    nowMs = 0;
    limits = new LeaseLimits(1 + random.nextInt(8), RATE);
    for (int turn = 0; turn < 25; turn++) {
      disturb();
      run(random.nextInt(1_200));
    }
    assertThat(mostWriters).as("seed %d", seed).isLessThanOrEqualTo(limits.writers());
    for (long from = 0; from + WINDOW_MS <= nowMs; from += 100) {
      // each node may be a piece ahead and catch up on 20 ms
      assertThat(bytes(from, from + WINDOW_MS)).as("seed %d, from %d ms", seed, from)
          .isLessThanOrEqualTo((long) (2.1 * RATE) + nodes.size() * (long) PIECE_BYTES);
    }
  }

  private void disturb() {
    Node any = nodes.isEmpty() ? null : nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(6)) {
      case 0 -> nodes.forEach(node -> node.pauses = random.nextBoolean());
      case 1 -> {
        leases = new Leases();
        leases.takeOver(nowMs, MOST_NODES);
      }
      case 2 -> {
        if (any != null) {
          any.dead = true;
        }
      }
      case 3 -> {
        if (any != null) {
          any.askAtMs = nowMs + 3_000;                    // its questions get lost for a while
        }
      }
      default -> start(1 + random.nextInt(3), random.nextInt(4) * RATE / 2 + 1);
    }
  }
}
