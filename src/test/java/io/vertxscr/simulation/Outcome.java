package io.vertxscr.simulation;

import java.util.List;

/**
 * What a simulation has come to.
 *
 * @param violations of invariants, in their order
 * @param calls what ranks were told, in short
 * @param traceHash the same for the same seed
 * @param trace as text; empty where nobody wanted it
 * @param runs how many runs of the application began
 */
record Outcome(Scenario scenario, List<Violation> violations, List<String> calls, long traceHash, String trace,
    int runs, int checkpoints) {
  /** An invariant that did not hold. */
  record Violation(Invariant invariant, String what) {
    @Override
    public String toString() {
      return invariant + ": " + what;
    }
  }

  /** What must hold. */
  enum Invariant {
    /** What the index lists as valid can be read, every byte. */
    LISTED_IS_WHOLE,
    /** A restart offers the newest acknowledged checkpoint, or a newer one. */
    NEWEST_IS_OFFERED,
    /** What is offered was called valid by all ranks, is one dataset, and has its bytes. */
    OFFERED_IS_GOOD,
    /** Acknowledged output gets to the prefix directory, and stays there. */
    OUTPUT_ARRIVES,
    /** What was removed, as a rank was told, is neither listed nor offered again. */
    REMOVED_STAYS_AWAY,
    /** A checkpoint leaves a cache only where a newer one is whole on all nodes, or it is in the prefix directory. */
    EVICTED_IS_REPLACED,
    /** Old checkpoints leave the prefix directory only where SCR_PREFIX_SIZE newer ones can be used. */
    WINDOW_IS_KEPT,
    /** Phases and healing put no more into a store than its SIZE; what has no room fails for all ranks alike. */
    SIZE_IS_KEPT,
    /** Background flushes are no faster than they may be. */
    LIMITS_HOLD,
    /** All ranks are told the same advice at the same call, and the conditions of the halt file are obeyed. */
    HALTS_ARE_OBEYED,
    /** The user's files stay as they are. */
    OTHERS_UNTOUCHED,
    /** Every call is answered within a minute after the last fault has ended. */
    EVERY_CALL_IS_ANSWERED,
    /** Without a fault, runs begin and end well. */
    WORKS_WITHOUT_FAULTS,
    /** A failure says what and where. */
    FAILURES_NAME_THE_CAUSE,
    /** Nothing stays open, locked or unanswered, and nothing waits, when there is nothing to do. */
    NOTHING_LEAKS,
    /** A job leaves the caches of others as they are. */
    JOBS_STAY_APART,
    /** The program throws nothing where nobody expects it. */
    NO_BUGS
  }

  boolean failed() {
    return !violations.isEmpty();
  }

  /** What has happened, for a reader. */
  String story() {
    StringBuilder story = new StringBuilder(scenario.toString()).append('\n');
    scenario.troubles().forEach(trouble -> story.append("  fault: ").append(trouble).append('\n'));
    calls.forEach(call -> story.append("  ").append(call).append('\n'));
    violations.forEach(violation -> story.append("  VIOLATED ").append(violation).append('\n'));
    return story.append("  trace ").append(Long.toHexString(traceHash)).append('\n').toString();
  }
}
