package io.vertxscr.launch;

import java.util.Optional;
import java.util.Set;

/**
 * One job: when its program is started, started again, and given up. Pure.
 *
 * <pre>
 *   Starting --Checked--> Running --Ended(0)--------------------> Finished
 *      |                   |   ^                                     ^
 *      |                   |   +--Checked-- Checking --Checked-------+
 *      |                   +-------Ended------^  |  ^                |
 *      |                                  Revive +--+                |
 *      +--Checked, Stop from everywhere -----------------------------+
 * </pre>
 */
public final class JobFlow {
  /** What shells call a program that cannot be run, and one that is not there. */
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;
  /** What shells call a program that a signal has ended: this, and the signal. */
  private static final int SIGNALS_FROM = 128;
  private static final int LAST_SIGNAL = 64;
  /** HUP, INT, QUIT, USR1, USR2, TERM, XCPU. */
  private static final Set<Integer> FROM_OUTSIDE = Set.of(1, 2, 3, 10, 12, 15, 24);
  private static final int REFUSED = 1;
  private static final int LONGEST_PAUSE_S = 60;
  private static final int LONGEST_PAUSE_AFTER = 7;

  private JobFlow() {}

  /**
   * What the user allows.
   *
   * @param runs in all; -1 for no limit
   * @param minNodes fewer are too few
   */
  public record Rules(int runs, int minNodes) {}

  /** Where a job stands. */
  public sealed interface State {
    /** Daemons are being started. */
    record Starting() implements State {}

    /**
     * The program runs.
     *
     * @param run from 1
     * @param barren failed runs just before it that completed no dataset
     * @param completed whether it has completed one
     */
    record Running(int run, int barren, boolean completed) implements State {}

    /** It has failed, and the nodes are being looked at. */
    record Checking(int run, int barren, int exit, boolean revived) implements State {}

    /** No run will follow. */
    record Finished() implements State {}
  }

  /** What happens. */
  public sealed interface Event {
    /**
     * The nodes have been looked at.
     *
     * @param usable nodes
     * @param halt why no run may begin, where none may
     */
    record Checked(int usable, Optional<String> halt) implements Event {}

    /** The run has completed a dataset. */
    record Completed() implements Event {}

    /** The program has ended, by itself or not. */
    record Ended(int exit) implements Event {}

    /** Somebody wants the job to end; its program has been told. */
    record Stop(String why) implements Event {}
  }

  /** What is to be done. */
  public sealed interface Action {
    /** Nothing. */
    record None() implements Action {}

    /** Start the program after a pause. */
    record Start(int run, int pauseS) implements Action {}

    /** Look at the nodes. @param why for the user: what has become of the run */
    record Check(String why) implements Action {}

    /** Start daemons again where only they have died, then look at the nodes. */
    record Revive() implements Action {}

    /**
     * Stop the daemons, scavenge, end.
     *
     * @param why for the user; empty where there is nothing to explain
     */
    record Finish(int exit, String why) implements Action {}
  }

  /** A new state and what is to be done. */
  public record Step(State state, Action action) {}

  /** The next step. Events that do not fit the state change nothing. */
  public static Step next(Rules rules, State state, Event event) {
    if (event instanceof Event.Stop(String why) && !(state instanceof State.Finished)) {
      return finish(REFUSED, why);
    }
    return switch (state) {
      case State.Starting _ when event instanceof Event.Checked checked -> first(rules, checked);
      case State.Running running when event instanceof Event.Completed ->
          new Step(new State.Running(running.run(), 0, true), new Action.None());
      case State.Running running when event instanceof Event.Ended(int exit) -> ended(rules, running, exit);
      case State.Checking checking when event instanceof Event.Checked checked -> again(rules, checking, checked);
      default -> new Step(state, new Action.None());
    };
  }

  private static Step first(Rules rules, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(REFUSED, checked.halt().get());
    }
    if (checked.usable() < rules.minNodes()) {
      return finish(REFUSED, Counts.tooFewNodes(checked.usable(), rules.minNodes()));
    }
    return new Step(new State.Running(1, 0, false), new Action.Start(1, 0));
  }

  private static Step ended(Rules rules, State.Running running, int exit) {
    if (exit == 0) {
      return finish(0, "");
    }
    if (exit == NOT_EXECUTABLE || exit == NOT_FOUND) {
      return finish(exit, "the program cannot be started (exit code " + exit + ")");
    }
    if (rules.runs() >= 0 && running.run() >= rules.runs()) {
      return finish(exit, failed(running.run(), exit) + ", and SCR_RUNS allows " + rules.runs());
    }
    int barren = running.completed() ? 0 : running.barren() + 1;
    return new Step(new State.Checking(running.run(), barren, exit, false),
        new Action.Check(failed(running.run(), exit)));
  }

  private static Step again(Rules rules, State.Checking checking, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(checking.exit(), checked.halt().get());
    }
    if (checked.usable() < rules.minNodes()) {
      return checking.revived() ? finish(checking.exit(), Counts.tooFewNodes(checked.usable(), rules.minNodes()))
          : new Step(new State.Checking(checking.run(), checking.barren(), checking.exit(), true),
              new Action.Revive());
    }
    int run = checking.run() + 1;
    return new Step(new State.Running(run, checking.barren(), false), new Action.Start(run, pauseS(checking.barren())));
  }

  /** 0 after a run that got somewhere, then 1, 2, 4, ... */
  private static int pauseS(int barren) {
    if (barren == 0) {
      return 0;
    }
    return barren >= LONGEST_PAUSE_AFTER ? LONGEST_PAUSE_S : 1 << (barren - 1);
  }

  /**
   * Whether somebody has ended the program: it had a signal that people, terminals and batch systems send, and that no
   * mistake of a program is answered with. SIGKILL is not one: the system sends it too, to who takes too much memory.
   */
  public static boolean endedFromOutside(int exit) {
    return FROM_OUTSIDE.contains(exit - SIGNALS_FROM);
  }

  private static String failed(int run, int exit) {
    boolean bySignal = exit > SIGNALS_FROM && exit <= SIGNALS_FROM + LAST_SIGNAL;
    return "run " + run + (bySignal ? " was ended by signal " + (exit - SIGNALS_FROM) + " (exit code " + exit + ")"
        : " failed with exit code " + exit);
  }

  private static Step finish(int exit, String why) {
    return new Step(new State.Finished(), new Action.Finish(exit, why));
  }
}
