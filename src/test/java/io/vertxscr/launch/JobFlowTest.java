package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.launch.JobFlow.Action;
import io.vertxscr.launch.JobFlow.Event;
import io.vertxscr.launch.JobFlow.Rules;
import io.vertxscr.launch.JobFlow.State;
import io.vertxscr.launch.JobFlow.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a job goes on as long as it may and can, and always ends. */
class JobFlowTest {
  private static final Event GOOD = new Event.Checked(4, Optional.empty());
  private static final Event TOO_FEW = new Event.Checked(3, Optional.empty());
  private static final Event HALTED = new Event.Checked(4, Optional.of("halted: JOB_HALTED"));
  private static final Event FAILED = new Event.Ended(9, 1000);
  private static final Event AT_ONCE = new Event.Ended(9, 999);
  private static final Event LOST = new Event.RunOver(false, Optional.of("node b has left"));
  private static final Event FINALIZED = new Event.RunOver(true, Optional.empty());
  private static final Event HALTING = new Event.Halting("somebody has halted it");
  private static final Event WELL = new Event.Ended(0, 5);
  private static final List<Event> ALL = List.of(GOOD, TOO_FEW, HALTED, new Event.Started(), new Event.Begun(),
      new Event.Completed(), LOST, FINALIZED, HALTING, new Event.Hung(), new Event.Waited(), FAILED, AT_ONCE, WELL,
      new Event.Stop("asked to"));

  /** The last step; a program is started where it is to be. */
  private static Step after(Rules rules, Event... events) {
    Step step = new Step(new State.Starting(), new Action.None(), Optional.empty());
    for (Event event : events) {
      State state = step.action() instanceof Action.Start ? JobFlow.next(rules, step.state(), new Event.Started()).state() : step.state();
      step = JobFlow.next(rules, state, event);
    }
    return step;
  }

  @Test
  void aProgramThatEndsWellIsNotStartedAgain() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD).action()).isEqualTo(new Action.Start(1, 0));
    assertThat(after(rules, GOOD, new Event.Ended(0, 5)).action()).isEqualTo(new Action.Finish(0, ""));
  }

  @Test
  void aProgramThatFailsIsStartedAgainAsOftenAsTheUserAllows() {
    Rules two = new Rules(2, 4);
    assertThat(after(two, GOOD, FAILED).action()).isEqualTo(new Action.Check("run 1 failed with exit code 9"));
    assertThat(after(two, GOOD, new Event.Ended(137, 1000)).action())
        .isEqualTo(new Action.Check("run 1 was ended by signal 9 (exit code 137)"));
    assertThat(after(two, GOOD, new Event.Completed(), FAILED, GOOD).action()).isEqualTo(new Action.Start(2, 0));
    assertThat(after(two, GOOD, FAILED, GOOD, FAILED).action())
        .isEqualTo(new Action.Finish(9, "run 2 failed with exit code 9, and SCR_RUNS allows 2"));
    assertThat(after(new Rules(1, 4), GOOD, FAILED).action()).isInstanceOf(Action.Finish.class);
    assertThat(after(new Rules(0, 4), GOOD, FAILED).action()).isInstanceOf(Action.Finish.class);
  }

  @Test
  void minusOneMeansNoLimitWithPausesWhereNothingIsAchieved() {
    List<Event> events = new ArrayList<>(List.of(GOOD));
    List<Integer> pauses = new ArrayList<>();
    for (int run = 2; run <= 12; run++) {
      events.addAll(List.of(FAILED, GOOD));
      pauses.add(((Action.Start) after(new Rules(-1, 4), events.toArray(Event[]::new)).action()).pauseS());
    }
    assertThat(pauses).containsExactly(1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60);
    events.addAll(List.of(new Event.Completed(), FAILED, GOOD));
    assertThat(after(new Rules(-1, 4), events.toArray(Event[]::new)).action()).isEqualTo(new Action.Start(13, 0));
  }

  @Test
  void aProgramThatFailsBeforeItsRanksJoinIsRetriedOnce() {
    for (int runs : new int[] {-1, 5}) {
      Rules rules = new Rules(runs, 4);
      assertThat(after(rules, GOOD, AT_ONCE).action()).isEqualTo(new Action.Check("run 1 failed with exit code 9"));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD).action()).isEqualTo(new Action.Start(2, 1));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD, AT_ONCE).action()).isEqualTo(new Action.Check(""));
      assertThat(after(rules, GOOD, AT_ONCE, GOOD, AT_ONCE, GOOD).action()).isEqualTo(new Action.Finish(9, ""));
    }
    assertThat(after(new Rules(1, 4), GOOD, AT_ONCE).action()).isEqualTo(new Action.Finish(9, ""));
    assertThat(after(new Rules(2, 4), GOOD, AT_ONCE, GOOD, AT_ONCE).action()).isEqualTo(new Action.Finish(9, ""));
  }

  /** A daemon's word that the run has begun may come after the end of the program. */
  @Test
  void aProgramWhoseRanksWereInARunIsTriedAsOftenAsTheUserAllowsHoweverSoonItFails() {
    Rules rules = new Rules(-1, 4);
    Event begun = new Event.Begun();
    assertThat(after(rules, GOOD, begun, AT_ONCE, GOOD, begun, AT_ONCE, GOOD).action())
        .isEqualTo(new Action.Start(3, 2));
    assertThat(after(rules, GOOD, AT_ONCE, begun, GOOD, AT_ONCE, begun, GOOD).action())
        .isEqualTo(new Action.Start(3, 2));
    assertThat(after(rules, GOOD, AT_ONCE, GOOD, FAILED, GOOD, AT_ONCE, GOOD).action())
        .isEqualTo(new Action.Start(4, 4));
    assertThat(after(rules, GOOD, begun, new Event.Completed(), FAILED, GOOD, AT_ONCE, GOOD).action())
        .isEqualTo(new Action.Start(3, 1));
  }

  @Test
  void aProgramThatCannotBeStartedIsNotTriedAgain() {
    for (int exit : new int[] {126, 127}) {
      assertThat(after(new Rules(-1, 4), GOOD, new Event.Ended(exit, 5)).action())
          .isEqualTo(new Action.Finish(exit, "the program cannot be started (exit code " + exit + ")"));
    }
  }

  @Test
  void whereTooFewNodesAreLeftDaemonsAreTriedAgainOnce() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD, FAILED, TOO_FEW).action()).isEqualTo(new Action.Revive());
    assertThat(after(rules, GOOD, FAILED, TOO_FEW, GOOD).action()).isEqualTo(new Action.Start(2, 1));
    assertThat(after(rules, GOOD, FAILED, TOO_FEW, TOO_FEW).action())
        .isEqualTo(new Action.Finish(9, "3 nodes can be used, and it takes 4"));
    assertThat(after(rules, TOO_FEW).action())
        .isEqualTo(new Action.Finish(1, "3 nodes can be used, and it takes 4"));
  }

  @Test
  void aHaltConditionLetsNoRunBegin() {
    assertThat(after(new Rules(-1, 4), HALTED).action()).isEqualTo(new Action.Finish(1, "halted: JOB_HALTED"));
    assertThat(after(new Rules(-1, 4), GOOD, FAILED, HALTED).action())
        .isEqualTo(new Action.Finish(9, "halted: JOB_HALTED"));
  }

  /** The daemons' word about the end of the run comes after the program's end. */
  @Test
  void aGoodEndIsAFailureWhereItIsToldLaterThatTheRunWasOverBeforeForANodeLoss() {
    Rules rules = new Rules(2, 4);
    Event begun = new Event.Begun();
    assertThat(after(rules, GOOD, begun, WELL)).returns(new Action.AwaitWord(), Step::action);
    Step lost = after(rules, GOOD, begun, WELL, LOST);
    assertThat(lost.action()).isEqualTo(new Action.Check("run 1 failed with exit code 1"));
    assertThat(lost.remark()).contains(
        "the program has ended with exit code 0, but its run was over before: node b has left");
    assertThat(lost).as("as if it had been told in time").isEqualTo(after(rules, GOOD, begun, LOST, WELL));
    assertThat(after(rules, GOOD, begun, new Event.Completed(), WELL, LOST, GOOD).action())
        .as("begun again").isEqualTo(new Action.Start(2, 0));
    assertThat(after(new Rules(1, 4), GOOD, begun, WELL, LOST).action())
        .isEqualTo(new Action.Finish(1, "run 1 failed with exit code 1, and SCR_RUNS allows 1"));
    assertThat(after(rules, GOOD, begun, WELL, FINALIZED).action()).isEqualTo(new Action.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, WELL, new Event.Waited()).action()).isEqualTo(new Action.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, WELL, new Event.Waited(), LOST).action()).isEqualTo(new Action.None());
    assertThat(after(rules, GOOD, begun, WELL, new Event.Stop("asked to")).action())
        .isEqualTo(new Action.Finish(0, ""));
    assertThat(after(rules, GOOD, begun, FINALIZED, WELL).action()).isEqualTo(new Action.Finish(0, ""));
    assertThat(after(rules, GOOD, WELL).action()).as("no rank was in a run").isEqualTo(new Action.Finish(0, ""));
  }

  @Test
  void aProgramThatEndsItselfForAHaltConditionHasNotFailedWheneverThatIsTold() {
    Rules rules = new Rules(-1, 4);
    Event begun = new Event.Begun();
    Action ended = new Action.Finish(0, "the run has ended because it was to stop: somebody has halted it");
    assertThat(after(rules, GOOD, begun, HALTING, FINALIZED, FAILED).action()).isEqualTo(ended);
    assertThat(after(rules, GOOD, begun, HALTING, FAILED).action()).isEqualTo(new Action.AwaitWord());
    assertThat(after(rules, GOOD, begun, HALTING, FAILED, FINALIZED).action()).isEqualTo(ended);
    for (Event other : List.of(LOST, new Event.Waited())) {
      assertThat(after(rules, GOOD, begun, HALTING, FAILED, other).action())
          .isEqualTo(new Action.Check("run 1 failed with exit code 9"));
    }
    assertThat(after(rules, GOOD, begun, HALTING, begun, FINALIZED, FAILED).action())
        .as("another program of a script has begun since").isInstanceOf(Action.Check.class);
  }

  @Test
  void whatIsToldOfAnEarlierRunDuringThePauseBeforeTheNextDoesNotCount() {
    Rules rules = new Rules(-1, 4);
    State pause = after(rules, GOOD, new Event.Begun(), FAILED, GOOD).state();
    for (Event late : List.of(LOST, FINALIZED, HALTING, new Event.Completed(), WELL)) {
      assertThat(JobFlow.next(rules, pause, late)).isEqualTo(
          new Step(pause, new Action.None(), Optional.empty()));
    }
  }

  @Test
  void aProgramThatWasKilledBecauseItHungHasFailedWithWhateverCodeItEnds() {
    Rules rules = new Rules(-1, 4);
    assertThat(after(rules, GOOD, new Event.Begun(), new Event.Hung(), WELL).action())
        .isEqualTo(new Action.Check("run 1 failed with exit code 1"));
    State running = after(rules, GOOD, new Event.Begun()).state();
    assertThat(JobFlow.endedFromOutside(running, 143)).isTrue();
    assertThat(JobFlow.endedFromOutside(JobFlow.next(rules, running, new Event.Hung()).state(), 143)).isFalse();
  }

  /** All sequences of six events: runs count up by one, and after Finish nothing happens. */
  @Test
  void noOrderOfEventsMakesItStartTwiceOrAfterItsEnd() {
    walk(new State.Starting(), 0, false, 6);
  }

  private static void walk(State state, int runs, boolean finished, int depth) {
    if (depth == 0) {
      return;
    }
    for (Event event : ALL) {
      Step step = JobFlow.next(new Rules(3, 4), state, event);
      int now = runs;
      if (step.action() instanceof Action.Start(int run, int pauseS)) {
        now++;
        assertThat(run).isEqualTo(now).isLessThanOrEqualTo(3);
        assertThat(pauseS).isBetween(0, 60);
      }
      if (finished) {
        assertThat(step.action()).isEqualTo(new Action.None());
        assertThat(step.state()).isEqualTo(state);
      }
      boolean ends = step.action() instanceof Action.Finish;
      assertThat(step.state() instanceof State.Finished).isEqualTo(finished || ends);
      if (!step.state().equals(state)) {
        walk(step.state(), now, finished || ends, depth - 1);
      }
    }
  }
}
