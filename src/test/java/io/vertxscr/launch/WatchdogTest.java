package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: a hanging run is detected by the user's limit or the learned one; a working run never is. */
class WatchdogTest {
  private static final long MINUTE = 60_000;

  private static Watchdog learning() {
    return new Watchdog(OptionalLong.empty(), true);
  }

  private static void phases(Watchdog dog, long start, long... gaps) {
    long now = start;
    dog.progress(now);
    for (long gap : gaps) {
      now += gap;
      dog.progress(now);
    }
  }

  @Test
  void withoutALimitAndWithoutLearningNothingEverHangs() {
    Watchdog dog = new Watchdog(OptionalLong.empty(), false);
    dog.started(0);
    phases(dog, 1, 1, 1, 1, 1);
    assertThat(dog.isHung(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void theUsersLimitHoldsFromTheStart() {
    Watchdog dog = new Watchdog(OptionalLong.of(5_000), false);
    assertThat(dog.isHung(100_000)).as("nothing runs").isFalse();
    dog.started(100_000);
    assertThat(dog.isHung(105_000)).isFalse();
    assertThat(dog.isHung(105_001)).isTrue();
    dog.progress(105_000);
    assertThat(dog.isHung(110_000)).isFalse();
    assertThat(dog.isHung(110_001)).isTrue();
  }

  @Test
  void itSaysNothingBeforeItHasLearned() {
    Watchdog dog = learning();
    dog.started(0);
    phases(dog, 0, 1, 1);
    assertThat(dog.isHung(Long.MAX_VALUE)).isFalse();
    dog.progress(3);
    assertThat(dog.limitMs()).hasValue(MINUTE);
    assertThat(dog.isHung(3 + MINUTE)).isFalse();
    assertThat(dog.isHung(4 + MINUTE)).isTrue();
  }

  @Test
  void theLimitIsFiveTimesTheLongestThatTheJobHasNeeded() {
    Watchdog dog = learning();
    dog.started(0);
    phases(dog, 10 * MINUTE, MINUTE, 20 * MINUTE, 2 * MINUTE);
    assertThat(dog.limitMs()).as("the time before the first phase does not count").hasValue(100 * MINUTE);
  }

  @Test
  void theNextRunRemembersButTheTimeBetweenRunsDoesNotCount() {
    Watchdog dog = learning();
    dog.started(0);
    phases(dog, 0, MINUTE, MINUTE, MINUTE);
    dog.ended();
    dog.started(1000 * MINUTE);
    dog.progress(1050 * MINUTE);
    assertThat(dog.limitMs()).hasValue(5 * MINUTE);
    assertThat(dog.isHung(1055 * MINUTE)).isFalse();
    assertThat(dog.isHung(1055 * MINUTE + 1)).isTrue();
  }

  @Test
  void aProgramThatHasFinalizedMayTakeItsTime() {
    Watchdog dog = new Watchdog(OptionalLong.of(1), true);
    dog.started(0);
    phases(dog, 0, 1, 1, 1);
    dog.ended();
    assertThat(dog.isHung(Long.MAX_VALUE)).isFalse();
  }
}
