package io.vertxscr.flow.run;

import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;

/**
 * State of a rank in the API, with its legal collective calls. Pure.
 *
 * <pre>
 *            +--START_OUTPUT---> OUTPUT --COMPLETE_OUTPUT--+
 *   IDLE ----+                                             +--> IDLE
 *     |      +--START_RESTART--> RESTART -COMPLETE_RESTART-+
 *     |            (only after HAVE_RESTART said yes)
 *     +--CURRENT, DROP, DELETE--> IDLE, with no restart on offer until HAVE_RESTART is asked again
 *     +--FINALIZE--> ENDED
 * </pre>
 *
 * @param restartOffered HAVE_RESTART has said yes since the last restart or output
 */
public record SessionState(SessionPhase phase, boolean restartOffered) {
  public static final SessionState IDLE = new SessionState(SessionPhase.IDLE, false);

  /** Phases of a rank. */
  public enum SessionPhase { IDLE, OUTPUT, RESTART, ENDED }

  /**
   * Refuses a call that is not legal here.
   *
   * @throws ScrException WRONG_STATE, naming the call, the state and what would be legal
   */
  public void check(int rank, Step call) {
    boolean legal = switch (call) {
      case HAVE_RESTART, START_OUTPUT, CURRENT, DROP, DELETE, FINALIZE -> phase == SessionPhase.IDLE;
      case START_RESTART -> phase == SessionPhase.IDLE && restartOffered;
      case COMPLETE_OUTPUT -> phase == SessionPhase.OUTPUT;
      case COMPLETE_RESTART -> phase == SessionPhase.RESTART;
      case PROTECTED, PUBLISHED, FLUSHED -> false;
    };
    if (!legal) {
      throw refusal(rank, call.title());
    }
  }

  /** Refuses a route after finalize; it is legal everywhere else. @throws ScrException WRONG_STATE */
  public void checkRoute(int rank) {
    if (phase == SessionPhase.ENDED) {
      throw refusal(rank, "route");
    }
  }

  /** Refuses a question that is not legal here. @throws ScrException WRONG_STATE */
  public void check(int rank, Question question) {
    boolean legal = question == Question.SHOULD_EXIT ? phase != SessionPhase.ENDED
        : phase == SessionPhase.IDLE || phase == SessionPhase.OUTPUT;
    if (!legal) {
      throw refusal(rank, question.title());
    }
  }

  private ScrException refusal(int rank, String call) {
    return new ScrException(
        Fault.WRONG_STATE, "rank " + rank + " called " + call + " " + where() + "; legal is " + legalCalls());
  }

  /** The state after success of the call (for completing calls, after the end of the phase either way). */
  public SessionState after(Step call, boolean restartAvailable) {
    return switch (call) {
      case HAVE_RESTART -> new SessionState(SessionPhase.IDLE, restartAvailable);
      case START_RESTART -> new SessionState(SessionPhase.RESTART, false);
      case START_OUTPUT -> new SessionState(SessionPhase.OUTPUT, false);
      case COMPLETE_RESTART, COMPLETE_OUTPUT, CURRENT, DROP, DELETE -> IDLE;
      case FINALIZE -> new SessionState(SessionPhase.ENDED, false);
      case PROTECTED, PUBLISHED, FLUSHED -> this;
    };
  }

  private String where() {
    return switch (phase) {
      case IDLE -> restartOffered ? "outside a phase" : "outside a phase, with no restart on offer";
      case OUTPUT -> "inside an output phase";
      case RESTART -> "inside a restart";
      case ENDED -> "after finalize";
    };
  }

  private String legalCalls() {
    return switch (phase) {
      case IDLE -> (restartOffered ? "start-restart, start-output, have-restart" : "have-restart, start-output")
          + ", route, need-checkpoint, should-exit, current, drop, delete, finalize";
      case OUTPUT -> "route, need-checkpoint, should-exit, complete-output";
      case RESTART -> "route, should-exit, complete-restart";
      case ENDED -> "nothing: the next run begins with an init";
    };
  }
}
