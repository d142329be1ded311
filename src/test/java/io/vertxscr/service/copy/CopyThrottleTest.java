package io.vertxscr.service.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.flush.Leases.Share;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import org.junit.jupiter.api.Test;

/** Goal: copies write no more than their share, stand back for a phase, and never wait forever. Time is the test's. */
class CopyThrottleTest {
  private static final int PIECE = 1_000;
  private static final long MS = 1_000_000;

  private long nowNs = 5_000 * MS;
  private final CopyThrottle gate = new CopyThrottle(() -> nowNs);

  /** Lets a piece pass as soon as it is admitted; the wait in milliseconds. */
  private long pass(int bytes) {
    long before = nowNs;
    while (!gate.admits(bytes)) {
      assertThat(gate.delayNs()).as("the end of a wait").isPositive().isNotEqualTo(Long.MAX_VALUE);
      nowNs += gate.delayNs();
    }
    gate.passed(bytes, bytes);
    return (nowNs - before) / MS;
  }

  private void assertWaitsForAnotherShare() {
    assertThat(gate.admits(PIECE)).isFalse();
    assertThat(gate.delayNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void piecesPassAtTheRateOfTheShareAndNotAfterItsEnd() {
    gate.share(new Share(2, 100 * PIECE, 1_000), nowNs);
    assertThat(gate.enter()).isTrue();
    long begin = nowNs;
    for (int i = 0; i < 50; i++) {
      pass(PIECE);
    }
    assertThat((nowNs - begin) / MS).isBetween(480L, 500L);
    assertThat(gate.passedBytes()).isEqualTo(50 * PIECE);
    nowNs += 600 * MS;
    assertWaitsForAnotherShare();
    gate.share(new Share(2, 100 * PIECE, 1_000), nowNs);
    assertThat(pass(PIECE)).isZero();
  }

  @Test
  void aPieceThatIsAdmittedCountsAtOnceAndWhatIsNotWrittenOfItIsGivenBack() {
    gate.share(new Share(4, 100 * PIECE, 1_000), nowNs);
    nowNs += 10 * MS;
    assertThat(gate.admits(PIECE)).isTrue();
    assertThat(gate.admits(PIECE)).as("another writer, before the piece has passed").isFalse();
    gate.giveBack(PIECE);
    assertThat(gate.admits(PIECE)).isTrue();
    gate.passed(PIECE / 10, PIECE);
    assertThat(gate.passedBytes()).isEqualTo(PIECE / 10);
    assertThat(gate.admits(PIECE)).as("a piece turned out to be short").isTrue();
  }

  @Test
  void aLeaseIsCountedFromTheQuestion() {
    long asked = nowNs;
    nowNs += 900 * MS;
    gate.share(new Share(1, Leases.UNLIMITED, 1_000), asked);
    assertThat(gate.enter()).isTrue();
    assertThat(pass(PIECE)).isZero();
    nowNs += 100 * MS;
    assertWaitsForAnotherShare();
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
    assertWaitsForAnotherShare();
    gate.leave();
    assertThat(pass(PIECE)).isZero();
    assertThat(gate.enter()).isFalse();
  }

  @Test
  void copiesStandBackForAPhaseUntilItEndsOrItsTimeIsOver() {
    gate.share(new Share(1, Leases.UNLIMITED, 100_000), nowNs);
    gate.yieldUntil(nowNs + 60_000 * MS);
    assertThat(gate.enter()).isFalse();
    assertThat(pass(PIECE)).isEqualTo(60_000);
    gate.yieldUntil(nowNs + 60_000 * MS);
    assertThat(gate.admits(PIECE)).isFalse();
    gate.yieldUntil(nowNs);
    assertThat(pass(PIECE)).isZero();
    assertThat(gate.enter()).isTrue();
  }

  @Test
  void whoAsksAfterTheEndIsTold() {
    gate.close(new ScrException(Fault.STOPPING, "the node stops"));
    assertThatThrownBy(() -> gate.admits(PIECE)).hasMessageContaining("the node stops");
    assertThatThrownBy(() -> gate.admits(PIECE)).hasMessageContaining("the node stops");
    assertThat(gate.enter()).isFalse();
  }
}
