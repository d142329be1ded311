package io.vertxscr.launch;

import io.vertxscr.model.Plural;
import java.util.Optional;
import java.util.Set;

/**
 * One job: when its program is started, started again, and given up. Pure.
 *
 * <p>A program that fails at once, before its ranks are in a run, is tried once more, and then has the last word: a
 * wrong option or a missing library is not mended by trying.
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
  /** Exit code of a shell for a program that cannot be executed; the next one is for a missing program. */
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;
  /** Base of a shell's exit codes for a program killed by a signal. */
  private static final int SIGNALS_FROM = 128;
  private static final int LAST_SIGNAL = 64;
  /** HUP, INT, QUIT, USR1, USR2, TERM, XCPU. */
  private static final Set<Integer> FROM_OUTSIDE = Set.of(1, 2, 3, 10, 12, 15, 24);
  private static final int REFUSED = 1;
  private static final long AT_ONCE_MS = 1000;
  /** So often a program may fail at once before any rank was in a run: it would each time. */
  private static final int STILLBORN_RUNS = 2;
  private static final int LONGEST_PAUSE_S = 60;
  private static final int LONGEST_PAUSE_AFTER = 7;

  private JobFlow() {}

  /**
   * Limits set by the user.
   *
   * @param runs in all; -1 for no limit
   * @param minNodes fewer are too few
   */
  public record Rules(int runs, int minNodes) {}

  /** State of a job. */
  public sealed interface State {
    /** Daemons are being started. */
    record Starting() implements State {}

    /**
     * The program runs.
     *
     * @param run from 1
     * @param barren failed runs just before it that completed no dataset
     * @param stillborn those of them, just before it, that failed at once, before their ranks were in a run
     * @param begun whether its ranks are in a run
     * @param completed whether it has completed a dataset
     */
    record Running(int run, int barren, int stillborn, boolean begun, boolean completed) implements State {}

    /** It has failed, and the nodes are being looked at; {@code barren} and {@code stillborn} with this run. */
    record Checking(int run, int barren, int stillborn, int exit, boolean revived) implements State {}

    /** No run will follow. */
    record Finished() implements State {}
  }

  /** Input of the state machine. */
  public sealed interface Event {
    /**
     * The nodes have been looked at.
     *
     * @param usable nodes
     * @param halt why no run may begin, where none may
     */
    record Checked(int usable, Optional<String> halt) implements Event {}

    /** The ranks of the program are in a run. The daemons' word of it may come after the program's end. */
    record Begun() implements Event {}

    /** The run has completed a dataset. */
    record Completed() implements Event {}

    /** The program has ended, by itself or not, so long after its start. */
    record Ended(int exit, long ranMs) implements Event {}

    /** Somebody wants the job to end; its program has been told. */
    record Stop(String why) implements Event {}
  }

  /** Action to do. */
  public sealed interface Action {
    /** Nothing. */
    record None() implements Action {}

    /** Start the program after a pause. */
    record Start(int run, int pauseS) implements Action {}

    /** Look at the nodes. @param why for the user: what has become of the run; empty after the program's own words */
    record Check(String why) implements Action {}

    /** Start daemons again where only they have died, then look at the nodes. */
    record Revive() implements Action {}

    /**
     * Stop the daemons, scavenge, end.
     *
     * @param why for the user; empty where there is nothing to explain, or the program has done so
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
      case State.Running running when event instanceof Event.Begun ->
          step(new State.Running(running.run(), running.barren(), 0, true, running.completed()));
      case State.Running running when event instanceof Event.Completed ->
          step(new State.Running(running.run(), 0, 0, true, true));
      case State.Running running when event instanceof Event.Ended ended -> ended(rules, running, ended);
      case State.Checking checking when event instanceof Event.Begun ->
          step(new State.Checking(checking.run(), checking.barren(), 0, checking.exit(), checking.revived()));
      case State.Checking checking when event instanceof Event.Checked checked -> again(rules, checking, checked);
      default -> step(state);
    };
  }

  private static Step step(State state) {
    return new Step(state, new Action.None());
  }

  private static Step first(Rules rules, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(REFUSED, checked.halt().get());
    }
    if (checked.usable() < rules.minNodes()) {
      return finish(REFUSED, tooFewNodes(checked.usable(), rules.minNodes()));
    }
    return new Step(new State.Running(1, 0, 0, false, false), new Action.Start(1, 0));
  }

  private static Step ended(Rules rules, State.Running running, Event.Ended ended) {
    int exit = ended.exit();
    if (exit == 0) {
      return finish(0, "");
    }
    if (exit == NOT_EXECUTABLE || exit == NOT_FOUND) {
      return finish(exit, "the program cannot be started (exit code " + exit + ")");
    }
    boolean atOnce = ended.ranMs() < AT_ONCE_MS && !running.begun();
    if (rules.runs() >= 0 && running.run() >= rules.runs()) {
      return finish(exit, atOnce ? "" : failed(running.run(), exit) + ", and SCR_RUNS allows " + rules.runs());
    }
    int barren = running.completed() ? 0 : running.barren() + 1;
    int stillborn = atOnce ? running.stillborn() + 1 : 0;
    return new Step(new State.Checking(running.run(), barren, stillborn, exit, false),
        new Action.Check(stillborn < STILLBORN_RUNS ? failed(running.run(), exit) : ""));
  }

  private static Step again(Rules rules, State.Checking checking, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(checking.exit(), checked.halt().get());
    }
    if (checking.stillborn() >= STILLBORN_RUNS) {
      return finish(checking.exit(), "");
    }
    if (checked.usable() < rules.minNodes()) {
      return checking.revived() ? finish(checking.exit(), tooFewNodes(checked.usable(), rules.minNodes()))
          : new Step(new State.Checking(checking.run(), checking.barren(), checking.stillborn(), checking.exit(), true),
              new Action.Revive());
    }
    int run = checking.run() + 1;
    return new Step(new State.Running(run, checking.barren(), checking.stillborn(), false, false),
        new Action.Start(run, pauseS(checking.barren())));
  }

  /** 0 after a run that got somewhere, then 1, 2, 4, ... */
  private static int pauseS(int barren) {
    if (barren == 0) {
      return 0;
    }
    return barren >= LONGEST_PAUSE_AFTER ? LONGEST_PAUSE_S : 1 << (barren - 1);
  }

  /**
   * Whether the program was ended from outside. By a signal that people, terminals and batch systems send, and that no
   * defect of a program causes. SIGKILL is not one: the system sends it too, to who takes too much memory.
   */
  public static boolean endedFromOutside(int exit) {
    return FROM_OUTSIDE.contains(exit - SIGNALS_FROM);
  }

  /** Why a run cannot begin. */
  public static String tooFewNodes(int usable, int needed) {
    return Plural.of(usable, "node") + " can be used, and it takes " + needed;
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
