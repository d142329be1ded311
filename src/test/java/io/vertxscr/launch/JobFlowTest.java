package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.launch.JobFlow.JobAction;
import io.vertxscr.launch.JobFlow.JobEvent;
import io.vertxscr.launch.JobFlow.JobState;
import io.vertxscr.launch.JobFlow.JobStep;
import io.vertxscr.launch.JobFlow.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a job goes on as long as it may and can, and always ends. */
class JobFlowTest {
  private static final JobEvent GOOD = new JobEvent.Checked(4, Optional.empty());
  private static final JobEvent TOO_FEW = new JobEvent.Checked(3, Optional.empty());
  private static final JobEvent HALTED = new JobEvent.Checked(4, Optional.of("halted: JOB_HALTED"));
  private static final JobEvent FAILED = new JobEvent.Ended(9, 1000);
  private static final JobEvent AT_ONCE = new JobEvent.Ended(9, 999);
  private static final JobEvent LOST = new JobEvent.RunOver(false, Optional.of("node b has left"));
  private static final JobEvent FINALIZED = new JobEvent.RunOver(true, Optional.empty());
  private static final JobEvent HALTING = new JobEvent.Halting("somebody has halted it");
  private static final JobEvent WELL = new JobEvent.Ended(0, 5);
  private static final List<JobEvent> ALL = List.of(GOOD, TOO_FEW, HALTED, new JobEvent.Started(), new JobEvent.Begun(),
      new JobEvent.Completed(), LOST, FINALIZED, HALTING, new JobEvent.Hung(), new JobEvent.Waited(), FAILED, AT_ONCE,
      WELL, new JobEvent.Stop("asked to"));

  /** The last step; a program is started where it is to be, after a pause in which nothing is lost. */
  private static JobStep after(Rules rules, JobEvent... events) {
    JobStep step = new JobStep(new JobState.Starting(), new JobAction.None(), Optional.empty());
    for (JobEvent event : events) {
      step = step.action() instanceof JobAction.Pause ? JobFlow.next(rules, step.state(), GOOD) : step;
      JobState state = step.action() instanceof JobAction.Start
          ? JobFlow.next(rules, step.state(), new JobEvent.Started()).state() : step.state();
      step = JobFlow.next(rules, state, event);
    }
    return step;
  }

  @Test
  void aProgramThatEndsWellIsNotStartedAgain() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD).action()).isEqualTo(new JobAction.Start(1));
    assertThat(after(rules, GOOD, new JobEvent.Ended(0, 5)).action()).isEqualTo(new JobAction.Finish(0, ""));
  }

  @Test
  void aProgramThatFailsIsStartedAgainAsOftenAsTheUserAllows() {
    Rules two = new Rules(2, 4);
    assertThat(after(two, GOOD, FAILED).action()).isEqualTo(new JobAction.Check("run 1 failed with exit code 9"));
    assertThat(after(two, GOOD, new JobEvent.Ended(137, 1000)).action())
        .isEqualTo(new JobAction.Check("run 1 was ended by signal 9 (exit code 137)"));
    assertThat(after(two, GOOD, new JobEvent.Completed(), FAILED, GOOD).action()).isEqualTo(new JobAction.Start(2));
    assertThat(after(two, GOOD, FAILED, GOOD, FAILED).action())
        .isEqualTo(new JobAction.Finish(9, "run 2 failed with exit code 9, and SCR_RUNS allows 2"));
    assertThat(after(new Rules(1, 4), GOOD, FAILED).action()).isInstanceOf(JobAction.Finish.class);
    assertThat(after(new Rules(0, 4), GOOD, FAILED).action()).isInstanceOf(JobAction.Finish.class);
  }

  @Test
  void minusOneMeansNoLimitWithPausesWhereNothingIsAchieved() {
    List<JobEvent> events = new ArrayList<>(List.of(GOOD));
    List<Integer> pauses = new ArrayList<>();
    for (int run = 2; run <= 12; run++) {
      events.addAll(List.of(FAILED, GOOD));
      pauses.add(((JobAction.Pause) after(new Rules(-1, 4), events.toArray(JobEvent[]::new)).action()).seconds());
    }
    assertThat(pauses).containsExactly(1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60);
    events.addAll(List.of(new JobEvent.Completed(), FAILED, GOOD));
    assertThat(after(new Rules(-1, 4), events.toArray(JobEvent[]::new)).action()).isEqualTo(new JobAction.Start(13));
  }

  @Test
  void aProgramThatFailsBeforeItsRanksJoinIsRetriedOnce() {
    for (int runs : new int[] {-1, 5}) {
      Rules rules = new Rules(runs, 4);
      assertThat(after(rules, GOOD, AT_ONCE).action()).isEqualTo(new JobAction.Check("run 1 failed with exit code 9"));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD).action()).isEqualTo(new JobAction.Pause(1));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD, AT_ONCE).action()).isEqualTo(new JobAction.Check(""));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD, AT_ONCE, GOOD).action()).isEqualTo(new JobAction.Finish(9, ""));
    }
    assertThat(after(new Rules(1, 4), GOOD, AT_ONCE).action()).isEqualTo(new JobAction.Finish(9, ""));
    assertThat(after(new Rules(2, 4), GOOD, AT_ONCE, GOOD, AT_ONCE).action()).isEqualTo(new JobAction.Finish(9, ""));
  }

  /** A daemon's word that the run has begun may come after the end of the program. */
  @Test
  void aProgramWhoseRanksWereInARunIsTriedAsOftenAsTheUserAllowsHoweverSoonItFails() {
    Rules rules = new Rules(-1, 4);
    JobEvent begun = new JobEvent.Begun();
    assertThat(after(rules, GOOD, begun, AT_ONCE, GOOD, begun, AT_ONCE, GOOD).action())
        .isEqualTo(new JobAction.Pause(2));
    assertThat(after(rules, GOOD, AT_ONCE, begun, GOOD, AT_ONCE, begun, GOOD).action())
        .isEqualTo(new JobAction.Pause(2));
    assertThat(after(rules, GOOD, AT_ONCE, GOOD, FAILED, GOOD, AT_ONCE, GOOD).action())
        .isEqualTo(new JobAction.Pause(4));
    assertThat(after(rules, GOOD, begun, new JobEvent.Completed(), FAILED, GOOD, AT_ONCE, GOOD).action())
        .isEqualTo(new JobAction.Pause(1));
  }

  @Test
  void aProgramThatCannotBeStartedIsNotTriedAgain() {
    for (int exit : new int[] {126, 127}) {
      assertThat(after(new Rules(-1, 4), GOOD, new JobEvent.Ended(exit, 5)).action())
          .isEqualTo(new JobAction.Finish(exit, "the program cannot be started (exit code " + exit + ")"));
    }
  }

  @Test
  void whereTooFewNodesAreLeftDaemonsAreTriedAgainOnce() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD, FAILED, TOO_FEW).action()).isEqualTo(new JobAction.Revive());
    assertThat(after(rules, GOOD, FAILED, TOO_FEW, GOOD).action()).isEqualTo(new JobAction.Pause(1));
    assertThat(after(rules, GOOD, FAILED, TOO_FEW, TOO_FEW).action())
        .isEqualTo(new JobAction.Finish(9, "3 nodes can be used, and it takes 4"));
    assertThat(after(rules, TOO_FEW).action())
        .isEqualTo(new JobAction.Finish(1, "3 nodes can be used, and it takes 4"));
  }

  @Test
  void nodesThatAreLostInThePauseBeforeARunAndAHaltInItCount() {
    Rules rules = new Rules(-1, 4);
    JobState pause = after(rules, GOOD, FAILED, GOOD).state();
    assertThat(JobFlow.next(rules, pause, GOOD).action()).isEqualTo(new JobAction.Start(2));
    assertThat(JobFlow.next(rules, pause, HALTED).action()).isEqualTo(new JobAction.Finish(9, "halted: JOB_HALTED"));
    JobStep lost = JobFlow.next(rules, pause, TOO_FEW);
    assertThat(lost.action()).isEqualTo(new JobAction.Revive());
    assertThat(JobFlow.next(rules, lost.state(), GOOD).action()).as("paused already").isEqualTo(new JobAction.Start(2));
    assertThat(JobFlow.next(rules, lost.state(), TOO_FEW).action()).isInstanceOf(JobAction.Finish.class);
  }

  @Test
  void aHaltConditionLetsNoRunBegin() {
    assertThat(after(new Rules(-1, 4), HALTED).action()).isEqualTo(new JobAction.Finish(1, "halted: JOB_HALTED"));
    assertThat(after(new Rules(-1, 4), GOOD, FAILED, HALTED).action())
        .isEqualTo(new JobAction.Finish(9, "halted: JOB_HALTED"));
  }

  /** The daemons' word about the end of the run comes after the program's end. */
  @Test
  void aGoodEndIsAFailureWhereItIsToldLaterThatTheRunWasOverBeforeForANodeLoss() {
    Rules rules = new Rules(2, 4);
    JobEvent begun = new JobEvent.Begun();
    assertThat(after(rules, GOOD, begun, WELL)).returns(new JobAction.AwaitWord(), JobStep::action);
    JobStep lost = after(rules, GOOD, begun, WELL, LOST);
    assertThat(lost.action()).isEqualTo(new JobAction.Check("run 1 failed with exit code 1"));
    assertThat(lost.remark()).contains(
        "the program has ended with exit code 0, but its run was over before: node b has left");
    assertThat(lost).as("as if it had been told in time").isEqualTo(after(rules, GOOD, begun, LOST, WELL));
    assertThat(after(rules, GOOD, begun, new JobEvent.Completed(), WELL, LOST, GOOD).action())
        .as("begun again").isEqualTo(new JobAction.Start(2));
    assertThat(after(new Rules(1, 4), GOOD, begun, WELL, LOST).action())
        .isEqualTo(new JobAction.Finish(1, "run 1 failed with exit code 1, and SCR_RUNS allows 1"));
    assertThat(after(rules, GOOD, begun, WELL, FINALIZED).action()).isEqualTo(new JobAction.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, WELL, new JobEvent.Waited()).action()).isEqualTo(new JobAction.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, WELL, new JobEvent.Waited(), LOST).action()).isEqualTo(new JobAction.None());
    assertThat(after(rules, GOOD, begun, WELL, new JobEvent.Stop("asked to")).action())
        .isEqualTo(new JobAction.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, FINALIZED, WELL).action()).isEqualTo(new JobAction.Finish(0, ""));
    assertThat(after(rules, GOOD, WELL).action()).as("no rank was in a run").isEqualTo(new JobAction.Finish(0, ""));
  }

  @Test
  void aProgramThatEndsItselfForAHaltConditionHasNotFailedWheneverThatIsTold() {
    Rules rules = new Rules(-1, 4);
    JobEvent begun = new JobEvent.Begun();
    JobAction ended = new JobAction.Finish(0, "the run has ended because it was to stop: somebody has halted it");
    assertThat(after(rules, GOOD, begun, HALTING, FINALIZED, FAILED).action()).isEqualTo(ended);
    assertThat(after(rules, GOOD, begun, HALTING, FAILED).action()).isEqualTo(new JobAction.AwaitWord());
    assertThat(after(rules, GOOD, begun, HALTING, FAILED, FINALIZED).action()).isEqualTo(ended);
    for (JobEvent other : List.of(LOST, new JobEvent.Waited())) {
      assertThat(after(rules, GOOD, begun, HALTING, FAILED, other).action())
          .isEqualTo(new JobAction.Check("run 1 failed with exit code 9"));
    }
    assertThat(after(rules, GOOD, begun, HALTING, begun, FINALIZED, FAILED).action())
        .as("another program of a script has begun since").isInstanceOf(JobAction.Check.class);
  }

  @Test
  void whatIsToldOfAnEarlierRunDuringThePauseBeforeTheNextDoesNotCount() {
    Rules rules = new Rules(-1, 4);
    JobState pause = after(rules, GOOD, new JobEvent.Begun(), FAILED, GOOD).state();
    for (JobState before : List.of(pause, JobFlow.next(rules, pause, GOOD).state())) {
      for (JobEvent late : List.of(LOST, FINALIZED, HALTING, new JobEvent.Completed(), WELL)) {
        assertThat(JobFlow.next(rules, before, late)).isEqualTo(
            new JobStep(before, new JobAction.None(), Optional.empty()));
      }
    }
  }

  @Test
  void aProgramThatWasKilledBecauseItHungHasFailedWithWhateverCodeItEnds() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD, new JobEvent.Begun(), new JobEvent.Hung(), WELL).action())
        .isEqualTo(new JobAction.Check("run 1 failed with exit code 1"));
    JobState running = after(rules, GOOD, new JobEvent.Begun()).state();
    assertThat(JobFlow.endedFromOutside(running, 143)).isTrue();
    assertThat(JobFlow.endedFromOutside(JobFlow.next(rules, running, new JobEvent.Hung()).state(), 143)).isFalse();
  }

  /** All sequences of six events: runs count up by one, and after Finish nothing happens. */
  @Test
  void noOrderOfEventsMakesItStartTwiceOrAfterItsEnd() {
    walk(new JobState.Starting(), 0, false, 6);
  }

  private static void walk(JobState state, int runs, boolean finished, int depth) {
    if (depth == 0) {
      return;
    }
    for (JobEvent event : ALL) {
      JobStep step = JobFlow.next(new Rules(3, 4), state, event);
      int now = runs;
      if (step.action() instanceof JobAction.Start(int run)) {
        now++;
        assertThat(run).isEqualTo(now).isLessThanOrEqualTo(3);
      }
      if (step.action() instanceof JobAction.Pause(int seconds)) {
        assertThat(seconds).isBetween(1, 60);
      }
      if (finished) {
        assertThat(step.action()).isEqualTo(new JobAction.None());
        assertThat(step.state()).isEqualTo(state);
      }
      boolean ends = step.action() instanceof JobAction.Finish;
      assertThat(step.state() instanceof JobState.Finished).isEqualTo(finished || ends);
      if (!step.state().equals(state)) {
        walk(step.state(), now, finished || ends, depth - 1);
      }
    }
  }
}
