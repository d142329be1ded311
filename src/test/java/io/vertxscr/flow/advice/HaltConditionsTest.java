package io.vertxscr.flow.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Halt;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: every condition holds from its border on and not a second earlier. Method: all combinations of values around
 * the borders, against the conditions written down again, one by one.
 */
class HaltConditionsTest {
  private static final long END = 1000;
  private static final OptionalLong NOBODY_KNOWS = OptionalLong.empty();

  private static String met(Halt halt, OptionalLong end, long now) {
    return HaltConditions.met(halt, end, now).map(HaltConditions.Met::reason).orElse("");
  }

  @Test
  void eachConditionHoldsFromItsBorderOn() {
    Halt seconds = Halt.NONE.withHaltSeconds(OptionalLong.of(100));
    assertThat(met(seconds, OptionalLong.of(END), 899)).isEmpty();
    assertThat(met(seconds, OptionalLong.of(END), 900)).isEqualTo("TIME_LIMIT");
    assertThat(met(seconds, OptionalLong.of(END), 5000)).isEqualTo("TIME_LIMIT");
    assertThat(met(seconds, NOBODY_KNOWS, 5000)).isEmpty();
    assertThat(met(Halt.NONE.withHaltSeconds(OptionalLong.of(0)), OptionalLong.of(END), 5000)).isEmpty();
    assertThat(met(Halt.NONE.withCheckpointsLeft(OptionalInt.of(1)), NOBODY_KNOWS, 0)).isEmpty();
    assertThat(met(Halt.NONE.withCheckpointsLeft(OptionalInt.of(0)), NOBODY_KNOWS, 0)).isEqualTo("NO_CHECKPOINTS_LEFT");
    assertThat(met(Halt.NONE.withExitBefore(OptionalLong.of(500)), NOBODY_KNOWS, 499)).isEmpty();
    assertThat(met(Halt.NONE.withExitBefore(OptionalLong.of(500)), NOBODY_KNOWS, 500)).isEqualTo("EXIT_BEFORE_TIME");
    assertThat(met(seconds.withExitBefore(OptionalLong.of(500)), NOBODY_KNOWS, 399)).isEmpty();
    assertThat(met(seconds.withExitBefore(OptionalLong.of(500)), NOBODY_KNOWS, 400)).isEqualTo("EXIT_BEFORE_TIME");
    assertThat(met(Halt.NONE.withExitAfter(OptionalLong.of(500)), NOBODY_KNOWS, 499)).isEmpty();
    assertThat(met(Halt.NONE.withExitAfter(OptionalLong.of(500)), NOBODY_KNOWS, 500)).isEqualTo("EXIT_AFTER_TIME");
    assertThat(met(Halt.NONE.withReason(Optional.of("MAINTENANCE")), NOBODY_KNOWS, 0)).isEqualTo("MAINTENANCE");
    assertThat(met(Halt.NONE.withReason(Optional.of("")), NOBODY_KNOWS, 0)).isEmpty();
  }

  @Test
  void allCombinationsAroundTheBordersGiveTheFirstThatHolds() {
    int combinations = 0;
    for (long now = 396; now <= 404; now++) {
      for (int left = -1; left <= 2; left++) {
        for (long seconds = 0; seconds <= 3; seconds++) {
          for (long border = 398; border <= 403; border++) {
            for (int which = 0; which < 32; which++) {
              check(which, now, left, seconds, border);
              combinations++;
            }
          }
        }
      }
    }
    assertThat(combinations).isEqualTo(9 * 4 * 4 * 6 * 32);
  }

  private static void check(int which, long now, int left, long seconds, long border) {
    boolean hasLeft = (which & 1) != 0;
    boolean hasSeconds = (which & 2) != 0;
    boolean hasBefore = (which & 4) != 0;
    boolean hasAfter = (which & 8) != 0;
    boolean hasEnd = (which & 16) != 0;
    Halt halt = new Halt(hasLeft ? OptionalInt.of(left) : OptionalInt.empty(), Optional.empty(),
        hasAfter ? OptionalLong.of(border) : OptionalLong.empty(),
        hasBefore ? OptionalLong.of(border) : OptionalLong.empty(),
        hasSeconds ? OptionalLong.of(seconds) : OptionalLong.empty(), Optional.empty(), false);
    long slack = hasSeconds ? seconds : 0;
    String expected = "";
    if (hasAfter && now >= border) {
      expected = "EXIT_AFTER_TIME";
    }
    if (hasBefore && now + slack >= border) {
      expected = "EXIT_BEFORE_TIME";
    }
    if (hasLeft && left <= 0) {
      expected = "NO_CHECKPOINTS_LEFT";
    }
    if (hasEnd && slack > 0 && now + slack >= border) {
      expected = "TIME_LIMIT";
    }
    assertThat(met(halt, hasEnd ? OptionalLong.of(border) : NOBODY_KNOWS, now))
        .as("%s at %d, end %s", halt, now, hasEnd).isEqualTo(expected);
  }

  @Test
  void aTimeLimitHoldsInItsAllocationAndNotInTheNextOne() {
    Halt halt = Halt.NONE.withHaltSeconds(OptionalLong.of(100)).because(Halt.Reason.TIME_LIMIT);
    assertThat(met(halt, OptionalLong.of(END), 900)).isEqualTo("TIME_LIMIT");
    assertThat(met(halt, OptionalLong.of(END), 899)).as("of another allocation").isEmpty();
    assertThat(met(halt.withCheckpointsLeft(OptionalInt.of(0)), OptionalLong.of(END), 0))
        .isEqualTo("NO_CHECKPOINTS_LEFT");
    assertThat(met(halt, NOBODY_KNOWS, 899)).isEqualTo("TIME_LIMIT");
    assertThat(met(halt.withHaltSeconds(OptionalLong.empty()), OptionalLong.of(END), 899)).isEqualTo("TIME_LIMIT");
    assertThat(met(halt.now("TIME_LIMIT"), OptionalLong.of(END), 899)).isEqualTo("TIME_LIMIT");
    assertThat(met(halt.withReason(Optional.of("JOB_HALTED")), OptionalLong.of(END), 899)).isEqualTo("JOB_HALTED");
  }

  @Test
  void howAnEarlierRunEndedKeepsNoOtherFromBeginningAndWhatSomebodyHasSaidDoes() {
    Halt slack = Halt.NONE.withHaltSeconds(OptionalLong.of(100));
    for (Halt.Reason reason : Halt.Reason.values()) {
      assertThat(HaltConditions.isOfEarlierRun(slack.because(reason), OptionalLong.of(END), 899)).as("%s", reason)
          .isEqualTo(reason == Halt.Reason.SCR_FINALIZE_CALLED || reason == Halt.Reason.TIME_LIMIT);
      assertThat(HaltConditions.isOfEarlierRun(slack.because(reason), OptionalLong.of(END), 900)).as("%s", reason)
          .isEqualTo(reason == Halt.Reason.SCR_FINALIZE_CALLED);
    }
  }

  @Test
  void whyIsToldInPlainWordsAndTheReasonOnce() {
    for (Halt.Reason reason : Halt.Reason.values()) {
      String words = HaltConditions.met(Halt.NONE.because(reason), NOBODY_KNOWS, 0).orElseThrow().words();
      assertThat(words).endsWith(" (" + reason + ")").containsOnlyOnce(reason.name());
    }
    assertThat(HaltConditions.met(Halt.NONE.because(Halt.Reason.SCR_FINALIZE_CALLED), NOBODY_KNOWS, 0).orElseThrow()
        .words()).isEqualTo("the program has finished (SCR_FINALIZE_CALLED)");
    assertThat(HaltConditions.met(Halt.NONE.withReason(Optional.of("power")), NOBODY_KNOWS, 0).orElseThrow().words())
        .isEqualTo("the halt file says so (power)");
  }

  @Test
  void theFirstReasonStaysAndAnotherRunsReasonStops() {
    Halt halt = Halt.NONE.because(Halt.Reason.TIME_LIMIT).because(Halt.Reason.SCR_FINALIZE_CALLED);
    assertThat(halt.reason()).contains("TIME_LIMIT");
    assertThat(met(halt.withCheckpointsLeft(OptionalInt.of(0)), NOBODY_KNOWS, 0)).isEqualTo("TIME_LIMIT");
  }

  @Test
  void checkpointsAreCountedDownToZeroAndOnlyWhereTheyAreCounted() {
    assertThat(Halt.NONE.afterCheckpoint(1, 1)).isEqualTo(Halt.NONE);
    Halt two = Halt.NONE.withCheckpointsLeft(OptionalInt.of(2));
    Halt one = two.afterCheckpoint(1, 7);
    assertThat(one.checkpointsLeft()).hasValue(1);
    assertThat(one.afterCheckpoint(1, 6).afterCheckpoint(1, 7)).as("counted before").isEqualTo(one);
    assertThat(one.withCheckpointsLeft(OptionalInt.of(4)).afterCheckpoint(1, 7).checkpointsLeft())
        .as("counted before, and another number is asked since").hasValue(4);
    assertThat(one.afterCheckpoint(1, 8).checkpointsLeft()).hasValue(0);
    assertThat(one.afterCheckpoint(2, 7).checkpointsLeft()).as("of another run").hasValue(0);
    assertThat(one.afterCheckpoint(1, 8).afterCheckpoint(1, 9).checkpointsLeft()).hasValue(0);
  }
}
