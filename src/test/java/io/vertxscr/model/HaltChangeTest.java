package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Halt.Reason;
import io.vertxscr.model.HaltChange.HaltCondition;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a change touches only what it names. A removed condition takes its own reason along, and no other. */
class HaltChangeTest {
  private static final Halt ALL = new Halt(OptionalInt.of(3), Optional.empty(), OptionalLong.of(20),
      OptionalLong.of(10), OptionalLong.of(40), Optional.of("WHY"), false);

  private static HaltChange unset(HaltCondition condition) {
    return new HaltChange(Map.of(), Set.of(condition), Optional.empty(), false, false);
  }

  @Test
  void eachConditionIsSetAndRemovedByItself() {
    Map<HaltCondition, Long> set = Map.of(HaltCondition.CHECKPOINTS_LEFT, 3L, HaltCondition.EXIT_BEFORE, 10L,
        HaltCondition.EXIT_AFTER, 20L, HaltCondition.HALT_SECONDS, 40L);
    assertThat(new HaltChange(set, Set.of(), Optional.of("WHY"), true, false).applied(Halt.NONE)).isEqualTo(ALL);
    assertThat(new HaltChange(set, Set.of(HaltCondition.values()), Optional.of("WHY"), true, false)
        .applied(Halt.NONE)).as("set counts where both are said").isEqualTo(ALL);
    assertThat(unset(HaltCondition.CHECKPOINTS_LEFT).applied(ALL))
        .isEqualTo(ALL.withCheckpointsLeft(OptionalInt.empty()));
    assertThat(unset(HaltCondition.EXIT_BEFORE).applied(ALL)).isEqualTo(ALL.withExitBefore(OptionalLong.empty()));
    assertThat(unset(HaltCondition.EXIT_AFTER).applied(ALL)).isEqualTo(ALL.withExitAfter(OptionalLong.empty()));
    assertThat(unset(HaltCondition.HALT_SECONDS).applied(ALL)).isEqualTo(ALL.withHaltSeconds(OptionalLong.empty()));
    assertThat(new HaltChange(Map.of(), Set.of(), Optional.empty(), false, false).applied(ALL)).isEqualTo(ALL);
  }

  @ParameterizedTest
  @EnumSource(HaltCondition.class)
  void aReasonGoesWithTheConditionForWhichTheRunStoppedAndWithNoOther(HaltCondition condition) {
    Map<HaltCondition, Reason> own = Map.of(HaltCondition.CHECKPOINTS_LEFT, Reason.NO_CHECKPOINTS_LEFT,
        HaltCondition.EXIT_BEFORE, Reason.EXIT_BEFORE_TIME, HaltCondition.EXIT_AFTER, Reason.EXIT_AFTER_TIME,
        HaltCondition.HALT_SECONDS, Reason.TIME_LIMIT);
    for (Reason reason : Reason.values()) {
      Halt stopped = Halt.NONE.withReason(Optional.of(reason.name()));
      assertThat(unset(condition).appliedWithReasons(stopped).reason().isEmpty()).as(reason.name())
          .isEqualTo(own.get(condition) == reason);
      assertThat(unset(condition).applied(stopped)).isEqualTo(stopped);
      assertThat(unset(condition).appliedWithReasons(Halt.NONE.now(reason.name())).immediate()).isTrue();
    }
  }

  @Test
  void anImmediateHaltKeepsTheConditionsAndAnotherReasonEndsIt() {
    Halt now = new HaltChange(Map.of(), Set.of(), Optional.of("JOB_HALTED"), false, true).applied(ALL);
    assertThat(now).isEqualTo(ALL.now("JOB_HALTED"));
    assertThat(new HaltChange(Map.of(), Set.of(), Optional.of("R"), false, false).applied(now).immediate()).isFalse();
    assertThat(new HaltChange(Map.of(), Set.of(), Optional.empty(), true, false).applied(now))
        .isEqualTo(ALL.withReason(Optional.empty()));
  }
}
