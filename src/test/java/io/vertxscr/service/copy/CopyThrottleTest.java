package io.vertxscr.service.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.flush.Leases.Share;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Goal: copies write no more than their share, stand back for a phase, and never wait for ever. Time is the test's. */
class CopyThrottleTest {
  private static final int PIECE = 1_000;
  private static final long MS = 1_000_000;

  private long nowNs = 5_000 * MS;
  private final Queue<Runnable> whileWaiting = new ArrayDeque<>();
  private final CopyThrottle gate = new CopyThrottle(new CopyThrottle.Clock() {
    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public void await(Condition condition, long ns) {
      Runnable event = whileWaiting.poll();
      if (event != null) {
        event.run();
      } else if (ns == Long.MAX_VALUE) {
        throw new IllegalStateException("waits for ever");
      } else {
        nowNs += ns;
      }
    }
  });

  private long waitedMs(Runnable action) {
    long before = nowNs;
    action.run();
    return (nowNs - before) / MS;
  }

  @Test
  void piecesPassAtTheRateOfTheShareAndNotAfterItsEnd() {
    gate.share(new Share(2, 100 * PIECE, 1_000), nowNs);
    assertThat(gate.enter()).isTrue();
    assertThat(waitedMs(() -> {
      for (int i = 0; i < 50; i++) {
        gate.passing(PIECE);
      }
    })).isBetween(480L, 500L);
    assertThat(gate.passedBytes()).isEqualTo(50 * PIECE);
    nowNs += 600 * MS;
    whileWaiting.add(() -> gate.share(new Share(2, 100 * PIECE, 1_000), nowNs));
    gate.passing(PIECE);
    assertThat(whileWaiting).as("waited for the next share").isEmpty();
  }

  @Test
  void aLeaseIsCountedFromTheQuestion() {
    long asked = nowNs;
    nowNs += 900 * MS;
    gate.share(new Share(1, Leases.UNLIMITED, 1_000), asked);
    assertThat(gate.enter()).isTrue();
    gate.passing(PIECE);
    nowNs += 100 * MS;
    assertThatThrownBy(() -> gate.passing(PIECE)).hasMessage("waits for ever");
    gate.leave();
    assertThat(gate.enter()).isFalse();
  }

  @Test
  void noMoreFilesAreBegunThanMayBeAndWithFewerNoneGoesOn() {
    gate.share(new Share(2, Leases.UNLIMITED, 1_000), nowNs);
    assertThat(gate.enter()).isTrue();
    assertThat(gate.enter()).isTrue();
    assertThat(gate.enter()).isFalse();
    gate.share(new Share(1, Leases.UNLIMITED, 1_000), nowNs);
    assertThatThrownBy(() -> gate.passing(PIECE)).hasMessage("waits for ever");
    gate.leave();
    gate.passing(PIECE);
    assertThat(gate.enter()).isFalse();
  }

  @Test
  void copiesStandBackForAPhaseUntilItEndsOrItsTimeIsOver() {
    gate.share(new Share(1, Leases.UNLIMITED, 100_000), nowNs);
    gate.yieldUntil(nowNs + 60_000 * MS);
    assertThat(gate.enter()).isFalse();
    assertThat(waitedMs(() -> gate.passing(PIECE))).isEqualTo(60_000);
    gate.yieldUntil(nowNs + 60_000 * MS);
    whileWaiting.add(() -> gate.yieldUntil(nowNs));
    assertThat(waitedMs(() -> gate.passing(PIECE))).isZero();
    assertThat(gate.enter()).isTrue();
  }

  @Test
  void whoWaitsIsEnded() {
    whileWaiting.add(() -> gate.close(new ScrException(Fault.STOPPING, "the node stops")));
    assertThatThrownBy(() -> gate.passing(PIECE)).hasMessageContaining("the node stops");
    assertThatThrownBy(() -> gate.passing(PIECE)).hasMessageContaining("the node stops");
    assertThat(gate.enter()).isFalse();
  }
}
