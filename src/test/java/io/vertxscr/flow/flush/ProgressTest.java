package io.vertxscr.flow.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: an operator can trust the rate and the end that are shown. Time is the test's. */
class ProgressTest {
  private static final long MB = 1_000_000;

  @Test
  void rateAndEndAreThoseOfTheLastSeconds() {
    Progress progress = new Progress(2_000 * MB, 0);
    assertThat(progress.remainingMs(0)).as("nobody knows yet").isEqualTo(OptionalLong.empty());
    for (long ms = 0; ms <= 10_000; ms += 250) {
      progress.note("n1", 60 * MB * ms / 1000, ms);
      progress.note("n2", 40 * MB * ms / 1000, ms);
    }
    assertThat(progress.doneBytes()).isEqualTo(1_000 * MB);
    assertThat(progress.bytesPerSecond(10_000)).isBetween(99 * MB, 101 * MB);
    assertThat(progress.remainingMs(10_000).getAsLong()).isBetween(9_900L, 10_100L);
  }

  @Test
  void aStandstillShowsAsNoRateAfterTheWindow() {
    Progress progress = new Progress(100 * MB, 0);
    progress.note("n1", 10 * MB, 1_000);
    assertThat(progress.bytesPerSecond(1_000)).isEqualTo(10 * MB);
    progress.note("n1", 10 * MB, 8_000);
    progress.note("n1", 10 * MB, 14_000);
    assertThat(progress.bytesPerSecond(14_000)).isZero();
    assertThat(progress.remainingMs(14_000)).isEmpty();
  }

  @Test
  void anOlderWordOfANodeAndMoreThanThereIsChangeNothing() {
    Progress progress = new Progress(10 * MB, 0);
    progress.note("n1", 8 * MB, 1_000);
    progress.note("n1", 3 * MB, 1_100);
    assertThat(progress.doneBytes()).isEqualTo(8 * MB);
    progress.note("n1", 12 * MB, 1_200);
    assertThat(progress.doneBytes()).isEqualTo(10 * MB);
    assertThat(progress.remainingMs(1_200)).hasValue(0);
  }

  @Test
  void whenAllIsCopiedNothingRemainsWhateverTheNodesHaveTold() {
    Progress progress = new Progress(10 * MB, 0);
    progress.note("n1", 3 * MB, 1_000);
    progress.complete(2_000);
    assertThat(progress.doneBytes()).isEqualTo(10 * MB);
    assertThat(progress.bytesPerSecond(2_000)).isEqualTo(5 * MB);
    assertThat(progress.remainingMs(2_000)).hasValue(0);
  }

  @Test
  void othersAreToldAtOnceAndThenOnceASecond() {
    Progress progress = new Progress(10 * MB, 0);
    int told = 0;
    for (int ms = 0; ms < 10_000; ms += 7) {
      told += progress.isDue(ms) ? 1 : 0;
    }
    assertThat(told).isEqualTo(10);
  }
}
