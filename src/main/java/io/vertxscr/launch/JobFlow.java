package io.vertxscr.launch;

import io.vertxscr.model.Plural;
import java.util.Optional;
import java.util.Set;

/**
 * One job: when its program is started, started again, and given up, and which exit code counts. Pure.
 *
 * <p>A program that fails at once, before its ranks are in a run, is tried again once, and then has the last word: a
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
 *      |                   |                      | Revive, Pause            |
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
  /** How long the daemons' word about the end of a run is awaited. Events overtake the end of a process by less. */
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
  public sealed interface JobState {
    /** Daemons are being started. */
    record Starting() implements JobState {}

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
        implements JobState {}

    /** The program has ended, and the exit code that counts depends on what the daemons have not told yet. */
    record Ending(Running running, JobEvent.Ended ended) implements JobState {}

    /**
     * It has failed, and the nodes are being looked at; {@code before} with this run.
     *
     * @param revived whether daemons were started again
     * @param paused whether the pause before the next run is over, or has begun
     */
    record Checking(int run, Fruitless before, int exit, boolean revived, boolean paused) implements JobState {}

    /** No run will follow. */
    record Finished() implements JobState {}
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

    private Told with(JobEvent event) {
      return switch (event) {
        case JobEvent.Begun _ -> new Told(true, false, false, Optional.empty(), Optional.empty());
        case JobEvent.Halting(String why) -> new Told(begun, over, finalized, nodeLoss, Optional.of(why));
        case JobEvent.RunOver(boolean byItself, Optional<String> loss) ->
            new Told(begun, true, byItself, loss, halting);
        case JobEvent.Completed _ -> new Told(true, over, finalized, nodeLoss, halting);
        default -> this;
      };
    }
  }

  /** Input of the state machine. */
  public sealed interface JobEvent {
    /**
     * The nodes have been looked at.
     *
     * @param usable nodes
     * @param halt why no run may begin, where none may
     */
    record Checked(int usable, Optional<String> halt) implements JobEvent {}

    /** The program is being started. */
    record Started() implements JobEvent {}

    /** The ranks of the program are in a run. The daemons' word of it may come after the program's end. */
    record Begun() implements JobEvent {}

    /** A halt condition holds for the run. */
    record Halting(String why) implements JobEvent {}

    /** The run is over. @param finalized by its ranks. @param nodeLoss why, where that was the loss of a node */
    record RunOver(boolean finalized, Optional<String> nodeLoss) implements JobEvent {}

    /** The program hangs, and has been killed. */
    record Hung() implements JobEvent {}

    /** {@link #WORD_MS} have passed since {@link JobAction.AwaitWord}. */
    record Waited() implements JobEvent {}

    /** The run has completed a dataset. */
    record Completed() implements JobEvent {}

    /** The program has ended, by itself or not, so long after its start. */
    record Ended(int exit, long ranMs) implements JobEvent {}

    /** Somebody wants the job to end; its program has been told. */
    record Stop(String why) implements JobEvent {}
  }

  /** Action to do. */
  public sealed interface JobAction {
    /** Nothing. */
    record None() implements JobAction {}

    /** Start the program. */
    record Start(int run) implements JobAction {}

    /** Wait, then look at the nodes: some may be lost meanwhile. */
    record Pause(int seconds) implements JobAction {}

    /** Look at the nodes. @param why for the user: what has become of the run; empty after the program's own words */
    record Check(String why) implements JobAction {}

    /** Wait for the daemons' word about the end of the run, then say {@link JobEvent.Waited}. */
    record AwaitWord() implements JobAction {}

    /** Start daemons again where only they have died, then look at the nodes. */
    record Revive() implements JobAction {}

    /**
     * Stop the daemons, scavenge, end.
     *
     * @param why for the user; empty where there is nothing to explain, or the program has done so
     */
    record Finish(int exit, String why) implements JobAction {}
  }

  /** A new state and what is to be done. @param remark for the user, before that */
  public record JobStep(JobState state, JobAction action, Optional<String> remark) {}

  /** The next step. Events that do not fit the state change nothing. */
  public static JobStep next(Rules rules, JobState state, JobEvent event) {
    if (event instanceof JobEvent.Stop(String why) && !(state instanceof JobState.Finished)) {
      return state instanceof JobState.Ending(_, JobEvent.Ended(int exit, _)) && exit == 0 ? finish(0, "")
          : finish(REFUSED, why);
    }
    return switch (state) {
      case JobState.Starting _ when event instanceof JobEvent.Checked checked -> first(rules, checked);
      case JobState.Running running -> running(rules, running, event);
      case JobState.Ending(JobState.Running running, JobEvent.Ended ended) -> ending(rules, running, ended, event);
      case JobState.Checking checking when event instanceof JobEvent.Begun -> step(new JobState.Checking(
          checking.run(), checking.before().born(), checking.exit(), checking.revived(), checking.paused()));
      case JobState.Checking checking when event instanceof JobEvent.Checked checked -> again(rules, checking, checked);
      default -> step(state);
    };
  }

  private static JobStep running(Rules rules, JobState.Running running, JobEvent event) {
    int run = running.run();
    if (!running.started()) {
      return switch (event) {
        case JobEvent.Started _ -> step(new JobState.Running(run, running.before(), true, false, false, Told.NOTHING));
        case JobEvent.Begun _ ->                             // late word of the run before
            step(new JobState.Running(run, running.before().born(), false, false, false, Told.NOTHING));
        default -> step(running);
      };
    }
    Told told = running.told().with(event);
    return switch (event) {
      case JobEvent.Begun _ -> step(new JobState.Running(
          run, running.before().born(), true, running.completed(), running.killed(), told));
      case JobEvent.Completed _ ->
          step(new JobState.Running(run, Fruitless.NONE, true, true, running.killed(), told));
      case JobEvent.Halting _, JobEvent.RunOver _ -> step(new JobState.Running(
          run, running.before(), true, running.completed(), running.killed(), told));
      case JobEvent.Hung _ ->
          step(new JobState.Running(run, running.before(), true, running.completed(), true, told));
      case JobEvent.Ended ended when isOpen(running, ended) ->
          new JobStep(new JobState.Ending(running, ended), new JobAction.AwaitWord(), Optional.empty());
      case JobEvent.Ended ended -> judged(rules, running, ended);
      default -> step(running);
    };
  }

  /** Whether the exit code that counts depends on how a run has ended that nobody has told about yet. */
  private static boolean isOpen(JobState.Running running, JobEvent.Ended ended) {
    Told told = running.told();
    return told.begun() && !told.over() && (ended.exit() == 0 && !running.killed() || told.halting().isPresent());
  }

  private static JobStep ending(Rules rules, JobState.Running running, JobEvent.Ended ended, JobEvent event) {
    return switch (event) {
      case JobEvent.RunOver _ -> judged(rules, new JobState.Running(running.run(), running.before(), true,
          running.completed(), running.killed(), running.told().with(event)), ended);
      case JobEvent.Waited _ -> judged(rules, running, ended);
      case JobEvent.Completed _ -> step(new JobState.Ending(new JobState.Running(
          running.run(), Fruitless.NONE, true, true, running.killed(), running.told()), ended));
      default -> step(new JobState.Ending(running, ended));
    };
  }

  private static JobStep step(JobState state) {
    return new JobStep(state, new JobAction.None(), Optional.empty());
  }

  private static JobStep step(JobState state, JobAction action) {
    return new JobStep(state, action, Optional.empty());
  }

  private static JobStep first(Rules rules, JobEvent.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(REFUSED, checked.halt().get());
    }
    if (checked.usable() < rules.minNodes()) {
      return finish(REFUSED, tooFewNodes(checked.usable(), rules.minNodes()));
    }
    return step(ready(1, Fruitless.NONE), new JobAction.Start(1));
  }

  private static JobState ready(int run, Fruitless before) {
    return new JobState.Running(run, before, false, false, false, Told.NOTHING);
  }

  private static JobStep judged(Rules rules, JobState.Running running, JobEvent.Ended ended) {
    Told told = running.told();
    int exit = ended.exit();
    if (exit == 0 && told.nodeLoss().isPresent()) {
      JobStep failed = ended(rules, running, new JobEvent.Ended(FAILED, ended.ranMs()));
      return new JobStep(failed.state(), failed.action(), Optional.of("the program has ended with exit code 0, but its"
          + " run was over before: " + told.nodeLoss().get()));
    }
    if (told.halting().isPresent() && told.finalized()) {
      return finish(0, "the run has ended because it was to stop: " + told.halting().get());
    }
    return ended(rules, running,
        running.killed() && exit == 0 ? new JobEvent.Ended(FAILED, ended.ranMs()) : ended);
  }

  private static JobStep ended(Rules rules, JobState.Running running, JobEvent.Ended ended) {
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
    return step(new JobState.Checking(running.run(), new Fruitless(barren, stillborn), exit, false, false),
        new JobAction.Check(stillborn < STILLBORN_RUNS ? failed(running.run(), exit) : ""));
  }

  private static JobStep again(Rules rules, JobState.Checking checking, JobEvent.Checked checked) {
    if (checked.halt().isPresent()) {
      return finish(checking.exit(), checked.halt().get());
    }
    if (checking.before().stillborn() >= STILLBORN_RUNS) {
      return finish(checking.exit(), "");
    }
    if (checked.usable() < rules.minNodes()) {
      return checking.revived() ? finish(checking.exit(), tooFewNodes(checked.usable(), rules.minNodes()))
          : step(new JobState.Checking(checking.run(), checking.before(), checking.exit(), true, checking.paused()),
              new JobAction.Revive());
    }
    int pauseS = pauseS(checking.before().barren());
    if (pauseS > 0 && !checking.paused()) {
      return step(new JobState.Checking(checking.run(), checking.before(), checking.exit(), checking.revived(), true),
          new JobAction.Pause(pauseS));
    }
    int run = checking.run() + 1;
    return step(ready(run, checking.before()), new JobAction.Start(run));
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
  public static boolean endedFromOutside(JobState before, int exit) {
    return FROM_OUTSIDE.contains(exit - SIGNALS_FROM)
        && !(before instanceof JobState.Running running && running.killed());
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

  private static JobStep finish(int exit, String why) {
    return step(new JobState.Finished(), new JobAction.Finish(exit, why));
  }
}
