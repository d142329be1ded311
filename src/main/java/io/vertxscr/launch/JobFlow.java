package io.vertxscr.launch;

import io.vertxscr.model.Plural;
import java.util.Optional;
import java.util.Set;

/**
 * One job: when its program is started, started again, and given up, and which exit code counts. Pure.
 *
 * <p>A program that fails at once, before its ranks are in a run, is tried once more, and then has the last word: a
 * wrong option or a missing library is not mended by trying.
 *
 * <p>The exit code of a program is not the whole truth. One that does not look at what its calls return ends well
 * although a node was lost under it; one that ends itself for a halt condition (SCR_HALT_EXIT) leaves a launcher that
 * calls this a failure. What the daemons tell of the end of its run decides, and it may come after the end of the
 * program: where it matters, it is awaited for {@link #WORD_MS}. What comes later than that changes nothing, nor does
 * what is told of a run before this one.
 *
 * <pre>
 *   Starting --Checked--> Running --Ended(0)----------------------------> Finished
 *      |                   |  |  ^                                           ^
 *      |                   |  |  +--Checked-- Checking --Checked-------------+
 *      |                   |  +-----Ended------^  ^ |  ^                     |
 *      |                   |                      | Revive                   |
 *      |                   +--Ended--> Ending ----+--RunOver, Waited---------+
 *      +--Checked, Stop from everywhere -------------------------------------+
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
  private static final int FAILED = 1;
  /** How long the daemons' word about the end of a run is awaited: events overtake the end of a process by less. */
  public static final long WORD_MS = 5000;
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
     * The program runs, or is about to.
     *
     * @param run from 1
     * @param before failed runs just before it
     * @param started whether the program has been started: what daemons tell before is of an earlier run
     * @param completed whether it has completed a dataset
     * @param killed whether we have ended it
     */
    record Running(int run, Fruitless before, boolean started, boolean completed, boolean killed, Told told)
        implements State {}

    /** The program has ended, and the exit code that counts depends on what the daemons have not told yet. */
    record Ending(Running running, Event.Ended ended) implements State {}

    /** It has failed, and the nodes are being looked at; {@code before} with this run. */
    record Checking(int run, Fruitless before, int exit, boolean revived) implements State {}

    /** No run will follow. */
    record Finished() implements State {}
  }

  /**
   * Failed runs in a row.
   *
   * @param barren that completed no dataset
   * @param stillborn those of them, the last ones, that failed at once, before their ranks were in a run
   */
  public record Fruitless(int barren, int stillborn) {
    static final Fruitless NONE = new Fruitless(0, 0);

    private Fruitless born() {
      return new Fruitless(barren, 0);
    }
  }

  /**
   * What the daemons have told of the run of the program's ranks. A script may have several, one after the other: the
   * last one counts.
   *
   * @param begun whether they are in a run
   * @param over whether that has ended
   * @param finalized whether by its ranks
   * @param nodeLoss why it has ended, where that was the loss of a node
   * @param halting why it is to stop
   */
  public record Told(
      boolean begun, boolean over, boolean finalized, Optional<String> nodeLoss, Optional<String> halting) {
    static final Told NOTHING = new Told(false, false, false, Optional.empty(), Optional.empty());

    private Told with(Event event) {
      return switch (event) {
        case Event.Begun _ -> new Told(true, false, false, Optional.empty(), Optional.empty());
        case Event.Halting(String why) -> new Told(begun, over, finalized, nodeLoss, Optional.of(why));
        case Event.RunOver(boolean byItself, Optional<String> loss) ->
            new Told(begun, true, byItself, loss, halting);
        case Event.Completed _ -> new Told(true, over, finalized, nodeLoss, halting);
        default -> this;
      };
    }
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

    /** The program is being started. */
    record Started() implements Event {}

    /** The ranks of the program are in a run. The daemons' word of it may come after the program's end. */
    record Begun() implements Event {}

    /** A halt condition holds for the run. */
    record Halting(String why) implements Event {}

    /** The run is over. @param finalized by its ranks. @param nodeLoss why, where that was the loss of a node */
    record RunOver(boolean finalized, Optional<String> nodeLoss) implements Event {}

    /** The program hangs, and has been killed. */
    record Hung() implements Event {}

    /** {@link #WORD_MS} have passed since {@link Action.AwaitWord}. */
    record Waited() implements Event {}

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

    /** Wait for the daemons' word about the end of the run, then say {@link Event.Waited}. */
    record AwaitWord() implements Action {}

    /** Start daemons again where only they have died, then look at the nodes. */
    record Revive() implements Action {}

    /**
     * Stop the daemons, scavenge, end.
     *
     * @param why for the user; empty where there is nothing to explain, or the program has done so
     */
    record Finish(int exit, String why) implements Action {}
  }

  /** A new state and what is to be done. @param remark for the user, before that */
  public record Step(State state, Action action, Optional<String> remark) {}

  /** The next step. Events that do not fit the state change nothing. */
  public static Step next(Rules rules, State state, Event event) {
    if (event instanceof Event.Stop(String why) && !(state instanceof State.Finished)) {
      return state instanceof State.Ending(_, Event.Ended(int exit, _)) && exit == 0 ? finish(0, "")
          : finish(REFUSED, why);
    }
    return switch (state) {
      case State.Starting _ when event instanceof Event.Checked checked -> first(rules, checked);
      case State.Running running -> running(rules, running, event);
      case State.Ending(State.Running running, Event.Ended ended) -> ending(rules, running, ended, event);
      case State.Checking checking when event instanceof Event.Begun -> step(new State.Checking(
          checking.run(), checking.before().born(), checking.exit(), checking.revived()));
      case State.Checking checking when event instanceof Event.Checked checked -> again(rules, checking, checked);
      default -> step(state);
    };
  }

  private static Step running(Rules rules, State.Running running, Event event) {
    int run = running.run();
    if (!running.started()) {
      return switch (event) {
        case Event.Started _ -> step(new State.Running(run, running.before(), true, false, false, Told.NOTHING));
        case Event.Begun _ ->                             // late word of the run before
            step(new State.Running(run, running.before().born(), false, false, false, Told.NOTHING));
        default -> step(running);
      };
    }
    Told told = running.told().with(event);
    return switch (event) {
      case Event.Begun _ -> step(new State.Running(
          run, running.before().born(), true, running.completed(), running.killed(), told));
      case Event.Completed _ ->
          step(new State.Running(run, Fruitless.NONE, true, true, running.killed(), told));
      case Event.Halting _, Event.RunOver _ -> step(new State.Running(
          run, running.before(), true, running.completed(), running.killed(), told));
      case Event.Hung _ ->
          step(new State.Running(run, running.before(), true, running.completed(), true, told));
      case Event.Ended ended when isOpen(running, ended) ->
          new Step(new State.Ending(running, ended), new Action.AwaitWord(), Optional.empty());
      case Event.Ended ended -> judged(rules, running, ended);
      default -> step(running);
    };
  }

  /** Whether the exit code that counts depends on how a run has ended that nobody has told about yet. */
  private static boolean isOpen(State.Running running, Event.Ended ended) {
    Told told = running.told();
    return told.begun() && !told.over() && (ended.exit() == 0 && !running.killed() || told.halting().isPresent());
  }

  private static Step ending(Rules rules, State.Running running, Event.Ended ended, Event event) {
    return switch (event) {
      case Event.RunOver _ -> judged(rules, new State.Running(running.run(), running.before(), true,
          running.completed(), running.killed(), running.told().with(event)), ended);
      case Event.Waited _ -> judged(rules, running, ended);
      case Event.Completed _ -> step(new State.Ending(new State.Running(
          running.run(), Fruitless.NONE, true, true, running.killed(), running.told()), ended));
      default -> step(new State.Ending(running, ended));
    };
  }

  private static Step step(State state) {
    return new Step(state, new Action.None(), Optional.empty());
  }

  private static Step step(State state, Action action) {
    return new Step(state, action, Optional.empty());
  }

  private static Step first(Rules rules, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(REFUSED, checked.halt().get());
    }
    if (checked.usable() < rules.minNodes()) {
      return finish(REFUSED, tooFewNodes(checked.usable(), rules.minNodes()));
    }
    return step(ready(1, Fruitless.NONE), new Action.Start(1, 0));
  }

  private static State ready(int run, Fruitless before) {
    return new State.Running(run, before, false, false, false, Told.NOTHING);
  }

  private static Step judged(Rules rules, State.Running running, Event.Ended ended) {
    Told told = running.told();
    int exit = ended.exit();
    if (exit == 0 && told.nodeLoss().isPresent()) {
      Step failed = ended(rules, running, new Event.Ended(FAILED, ended.ranMs()));
      return new Step(failed.state(), failed.action(), Optional.of("the program has ended with exit code 0, but its run"
          + " was over before: " + told.nodeLoss().get()));
    }
    if (told.halting().isPresent() && told.finalized()) {
      return finish(0, "the run has ended because it was to stop: " + told.halting().get());
    }
    return ended(rules, running,
        running.killed() && exit == 0 ? new Event.Ended(FAILED, ended.ranMs()) : ended);
  }

  private static Step ended(Rules rules, State.Running running, Event.Ended ended) {
    int exit = ended.exit();
    if (exit == 0) {
      return finish(0, "");
    }
    if (exit == NOT_EXECUTABLE || exit == NOT_FOUND) {
      return finish(exit, "the program cannot be started (exit code " + exit + ")");
    }
    boolean atOnce = ended.ranMs() < AT_ONCE_MS && !running.told().begun();
    if (rules.runs() >= 0 && running.run() >= rules.runs()) {
      return finish(exit, atOnce ? "" : failed(running.run(), exit) + ", and SCR_RUNS allows " + rules.runs());
    }
    int barren = running.completed() ? 0 : running.before().barren() + 1;
    int stillborn = atOnce ? running.before().stillborn() + 1 : 0;
    return step(new State.Checking(running.run(), new Fruitless(barren, stillborn), exit, false),
        new Action.Check(stillborn < STILLBORN_RUNS ? failed(running.run(), exit) : ""));
  }

  private static Step again(Rules rules, State.Checking checking, Event.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(checking.exit(), checked.halt().get());
    }
    if (checking.before().stillborn() >= STILLBORN_RUNS) {
      return finish(checking.exit(), "");
    }
    if (checked.usable() < rules.minNodes()) {
      return checking.revived() ? finish(checking.exit(), tooFewNodes(checked.usable(), rules.minNodes()))
          : step(new State.Checking(checking.run(), checking.before(), checking.exit(), true), new Action.Revive());
    }
    int run = checking.run() + 1;
    return step(ready(run, checking.before()), new Action.Start(run, pauseS(checking.before().barren())));
  }

  /** 0 after a run that got somewhere, then 1, 2, 4, ... */
  private static int pauseS(int barren) {
    if (barren == 0) {
      return 0;
    }
    return barren >= LONGEST_PAUSE_AFTER ? LONGEST_PAUSE_S : 1 << (barren - 1);
  }

  /**
   * Whether the program was ended from outside, not by us. By a signal that people, terminals and batch systems send,
   * and that no defect of a program causes. SIGKILL is not one: the system sends it too, to who takes too much memory.
   */
  public static boolean endedFromOutside(State before, int exit) {
    return FROM_OUTSIDE.contains(exit - SIGNALS_FROM)
        && !(before instanceof State.Running running && running.killed());
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
    return step(new State.Finished(), new Action.Finish(exit, why));
  }
}
