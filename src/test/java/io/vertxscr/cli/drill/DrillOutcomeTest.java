package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.drill.DrillCheck.Result;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a drill passes if every part of it did, within the bounds. A failure is named where it happened. */
class DrillOutcomeTest {
  private static List<String> failed(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    return outcome.checks(bounds).stream().filter(check -> check.result() == Result.FAILED).map(DrillCheck::name)
        .toList();
  }

  @Test
  void allIsWell() {
    DrillOutcome good = DrillOutcomes.good();
    assertThat(good.passed(DrillOutcomes.NONE)).isTrue();
    assertThat(good.rtoSeconds()).hasValue(3.5);
    assertThat(good.lostSteps()).contains(3);
    assertThat(good.verifiedBytes()).isEqualTo(4 * 1032);
  }

  @ParameterizedTest
  @EnumSource(value = Milestone.class, names = {"PROTECTED", "RETURNED", "ANSWERED"}, mode = EnumSource.Mode.EXCLUDE)
  void whereItEndsIsTheFailureAndTheRestIsSkipped(Milestone last) {
    DrillOutcome outcome = DrillOutcomes.upTo(last, Optional.empty(), Optional.of("the reason"));
    assertThat(outcome.passed(DrillOutcomes.NONE)).isFalse();
    List<DrillCheck> failures = outcome.checks(DrillOutcomes.NONE).stream()
        .filter(check -> check.result() == Result.FAILED).toList();
    assertThat(failures).singleElement().returns("the reason", DrillCheck::text);
    String expected = switch (last) {
      case DETECTED -> "detection";
      case TOLD, TOGETHER, STARTED -> "restart";
      case RESTORED -> "bytes";
      case VERIFIED -> "first-step";
      default -> "protection";
    };
    assertThat(failures.getFirst().name()).isEqualTo(expected);
  }

  @Test
  void whereThePrefixHangsTheRunMustGoOnWithoutItAndEndWell() {
    assertThat(DrillOutcomes.hung(Milestone.ANSWERED, Optional.empty()).passed(DrillOutcomes.NONE)).isTrue();
    assertThat(failed(DrillOutcomes.hung(Milestone.PROTECTED, Optional.of("a reason")), DrillOutcomes.NONE))
        .containsExactly("prefix");
    assertThat(failed(DrillOutcomes.hung(Milestone.ANSWERED, Optional.of("the flush failed")), DrillOutcomes.NONE))
        .containsExactly("prefix");
    assertThat(failed(DrillOutcomes.hung(Milestone.STARTED, Optional.of("init waits")), DrillOutcomes.NONE))
        .containsExactly("restart");
  }

  @Test
  void aHiddenNodeMustComeBackAndTheRunEndWell() {
    assertThat(DrillOutcomes.hidden(Milestone.RETURNED, Optional.empty()).passed(DrillOutcomes.NONE)).isTrue();
    assertThat(failed(DrillOutcomes.hidden(Milestone.PROTECTED, Optional.of("alone")), DrillOutcomes.NONE))
        .containsExactly("return");
    assertThat(failed(DrillOutcomes.hidden(Milestone.RETURNED, Optional.of("two leaders")), DrillOutcomes.NONE))
        .containsExactly("return");
  }

  @Test
  void aDifferenceFailsTheCheckOfTheBytesAndIsItsText() {
    DrillOutcome outcome = DrillOutcomes.upTo(Milestone.RESTORED, Optional.of("byte 7 of ..."),
        Optional.of("rank 1: exit code 1"));
    assertThat(outcome.checks(DrillOutcomes.NONE)).filteredOn(check -> check.result() == Result.FAILED)
        .singleElement().returns("bytes", DrillCheck::name).returns("byte 7 of ...", DrillCheck::text);
    assertThat(outcome.verifiedBytes()).isZero();
  }

  @Test
  void aDrillThatNeverBeganHasFailed() {
    assertThat(failed(DrillOutcomes.neverBegun(), DrillOutcomes.NONE)).containsExactly("checkpoint");
    assertThat(DrillOutcomes.neverBegun().passed(DrillOutcomes.NONE)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"3.5, 0.35, ''", "3.49, 0.35, rto", "3.5, 0.34, rpo", "0, 0, rto rpo"})
  void boundsAreKeptOrNamed(double rto, double rpo, String expected) {
    DrillOutcome.Objectives bounds = DrillOutcomes.within(rto, rpo);
    assertThat(String.join(" ", failed(DrillOutcomes.good(), bounds))).isEqualTo(expected);
    assertThat(DrillOutcomes.good().passed(bounds)).isEqualTo(expected.isEmpty());
  }

  @Test
  void aBoundOnWhatWasNotMeasuredDoesNotPass() {
    DrillOutcome outcome = DrillOutcomes.upTo(Milestone.TOLD, Optional.empty(), Optional.of("x"));
    assertThat(outcome.checks(DrillOutcomes.within(100, 100))).filteredOn(check -> check.name().matches("rto|rpo"))
        .hasSize(2).allMatch(check -> check.result() == Result.SKIPPED);
  }
}
