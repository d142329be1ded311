package io.vertxscr.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cluster.admission.UnprovenConnections.Bounds;
import io.vertxscr.cluster.admission.UnprovenConnections.Handling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: whoever proves nothing is one of few, for a bounded time, and nobody else is closed. Method:
 * random openings and ends against a model, in a time of the test's own.
 */
@Timeout(60)
class UnprovenConnectionsTest {
  private static final int MOST = 4;
  private static final long LIMIT_MS = 1_000;
  /** A timer is not exact; see TRY_AGAIN_MS. */
  private static final long LATE_MS = 100;

  private final Set<Integer> closed = new LinkedHashSet<>();
  private final Set<Integer> notYet = new HashSet<>();
  /** What the reader has to do once it is no longer busy. */
  private final List<Runnable> behind = new ArrayList<>();
  private boolean isBusy;
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>((a, b) -> Long.compare(a.atMs, b.atMs));
  private long nowMs;
  private final UnprovenConnections<Integer> connections = new UnprovenConnections<>(
      new Bounds(MOST, LIMIT_MS, "connections of a test were closed"), new Port(),
      () -> TimeUnit.MILLISECONDS.toNanos(nowMs), (delayMs, action) -> alarms.add(new Alarm(nowMs + delayMs, action)));

  private record Alarm(long atMs, Runnable action) {}

  private final class Port implements Handling<Integer> {
    @Override
    public void close(Integer connection) {
      closed.add(connection);
    }

    @Override
    public boolean isClosable(Integer connection) {
      return !notYet.contains(connection);
    }

    @Override
    public void onReader(Integer connection, Runnable action) {
      if (isBusy) {
        behind.add(action);
      } else {
        action.run();
      }
    }
  }

  private void pass(long ms) {
    long end = nowMs + ms;
    while (!alarms.isEmpty() && alarms.peek().atMs <= end) {
      Alarm next = alarms.remove();
      nowMs = next.atMs;
      next.action.run();
    }
    nowMs = end;
  }

  @Test
  void theOldestOfTooManyGoesAndWhoTakesTooLong() {
    long seed = Long.getLong("seed", 1);
    System.out.println("UnprovenConnectionsTest -Dseed=" + seed);
    Random random = new Random(seed);
    Map<Integer, Long> waiting = new LinkedHashMap<>();
    for (int next = 0; next < 20_000; next++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          if (waiting.size() == MOST) {
            int oldest = waiting.keySet().iterator().next();
            waiting.remove(oldest);
            connections.opened(next);
            assertThat(closed).contains(oldest);
          } else {
            connections.opened(next);
          }
          waiting.put(next, nowMs);
        }
        case 2 -> {
          int one = next - random.nextInt(8);
          assertThat(connections.left(one)).as("connection %d", one).isEqualTo(waiting.remove(one) != null);
        }
        default -> {
          pass(random.nextInt(400));
          waiting.forEach((one, since) -> assertThat(nowMs - since).as("time of connection %d", one)
              .matches(ms -> closed.contains(one) ? ms >= LIMIT_MS : ms < LIMIT_MS + LATE_MS));
          waiting.keySet().removeIf(closed::contains);
        }
      }
      assertThat(Collections.disjoint(closed, waiting.keySet())).isTrue();
      assertThat(alarms).hasSizeLessThanOrEqualTo(1);
    }
    pass(LIMIT_MS + LATE_MS);
    assertThat(closed.containsAll(waiting.keySet())).isTrue();
    assertThat(alarms).as("no timer is left").isEmpty();
  }

  @Test
  void roomIsMadeByTheOldestAlone() {
    connections.makeRoom();
    assertThat(closed).isEmpty();
    for (int one = 1; one <= 3; one++) {
      connections.opened(one);
    }
    connections.makeRoom();
    assertThat(closed).containsExactly(1);
    connections.left(2);
    connections.makeRoom();
    assertThat(closed).containsExactly(1, 3);
  }

  @Test
  void whatCannotBeClosedYetIsTriedAgain() {
    notYet.add(1);
    for (int one = 1; one <= MOST + 1; one++) {
      connections.opened(one);
    }
    assertThat(closed).containsExactly(2);
    pass(10 * LIMIT_MS);
    assertThat(closed).containsExactly(2, 3, 4, 5);
    notYet.clear();
    pass(LATE_MS);
    assertThat(closed).containsExactly(2, 3, 4, 5, 1);
    assertThat(alarms).isEmpty();
  }

  /** And not more; the first has proved itself. */
  private void assertThatTheSecondHasItsWholeTimeAgain() {
    connections.left(1);
    pass(LIMIT_MS - 1);
    assertThat(closed).isEmpty();
    pass(1);
    assertThat(closed).containsExactly(2);
    assertThat(alarms).isEmpty();
  }

  /** As of a daemon that was stopped: the timer comes before the request that has waited in the socket. */
  @Test
  void timeInWhichTheProcessStoodDoesNotCount() {
    connections.opened(1);
    connections.opened(2);
    nowMs += 10 * LIMIT_MS;
    alarms.remove().action.run();
    assertThatTheSecondHasItsWholeTimeAgain();
  }

  @Test
  void timeInWhichTheReaderWasBusyDoesNotCount() {
    isBusy = true;
    connections.opened(1);
    connections.opened(2);
    pass(10 * LIMIT_MS);
    assertThat(behind).as("once for each").hasSize(2);
    isBusy = false;
    behind.forEach(Runnable::run);
    assertThatTheSecondHasItsWholeTimeAgain();
  }

  @Test
  void aBusyReaderDoesNotKeepTheOldestOfTooMany() {
    isBusy = true;
    connections.opened(0);
    pass(2 * LIMIT_MS);
    for (int one = 1; one <= MOST; one++) {
      connections.opened(one);
    }
    assertThat(closed).containsExactly(0);
    isBusy = false;
    behind.forEach(Runnable::run);
    assertThat(closed).containsExactly(0);
  }

  /** The time of daemons. */
  @Test
  void timePassesByItself() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(2);
    UnprovenConnections<Integer> real =
        new UnprovenConnections<>(new Bounds(MOST, 200, "connections of a test were closed"), _ -> ended.countDown());
    real.opened(1);
    real.opened(2);
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
