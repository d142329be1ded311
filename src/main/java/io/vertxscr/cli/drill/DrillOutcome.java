package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillCheck.Result;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Result of a drill. Pure.
 *
 * @param struck whether it came to the loss
 * @param after milliseconds from the loss to each milestone that was reached
 * @param steps where the program was
 * @param lostSeconds from the begin of the checkpoint that was restored to the loss: its work had to be done again
 * @param difference the first byte that is not as it was written, in words
 * @param failure why the drill came to no end, in words
 */
record DrillOutcome(DrillPlan plan, boolean struck, Map<Milestone, Long> after, DrillSteps steps,
    OptionalDouble lostSeconds, Optional<String> difference, Optional<String> failure) {
  DrillOutcome {
    Map<Milestone, Long> inOrder = new EnumMap<>(Milestone.class);
    inOrder.putAll(after);
    after = inOrder;
  }

  /**
   * Steps of the program; -1 for none.
   *
   * @param checkpoint of the newest checkpoint that was protected before the loss
   * @param reached by the rank that was furthest, before the loss
   * @param restored of the checkpoint of the restart
   */
  record DrillSteps(int checkpoint, int reached, int restored) {}

  /**
   * Objectives of the user.
   *
   * @param rtoSeconds longest time to the first step again
   * @param rpoSeconds most work lost
   */
  record Objectives(OptionalDouble rtoSeconds, OptionalDouble rpoSeconds) {}

  RecoveryTimes<Milestone> times() {
    return new RecoveryTimes<>(Milestone.values(), after);
  }

  /** Recovery time: from the loss to the first step again, by all ranks. */
  OptionalDouble rtoSeconds() {
    return times().seconds(Milestone.FIRST_STEP);
  }

  /** Steps that had to be done again. */
  Optional<Integer> lostSteps() {
    return steps.restored() < 0 ? Optional.empty() : Optional.of(steps.reached() - steps.restored());
  }

  /** Bytes that were compared with what was written. */
  long verifiedBytes() {
    return times().has(Milestone.VERIFIED) ? plan.work().checkpointBytes() : 0;
  }

  /** Everything that is checked, in order; after a failure the rest of the course is skipped. */
  List<DrillCheck> checks(Objectives bounds) {
    RecoveryTimes<Milestone> times = times();
    DrillChecks checks = new DrillChecks(difference.or(() -> failure).orElse("not reached"))
        .add("checkpoint", struck, "checkpoint of step " + steps.checkpoint() + " protected", 0)
        .add("detection", times.has(Milestone.DETECTED) && times.has(Milestone.TOLD),
            "the loss was noticed, and all ranks were told", times.span(Milestone.TOLD))
        .add("restart", times.has(Milestone.RESTORED), "restarted from the checkpoint of step " + steps.restored(),
            times.span(Milestone.TOLD, Milestone.RESTORED))
        .add("bytes", times.has(Milestone.VERIFIED) && difference.isEmpty(),
            verifiedBytes() + " bytes are as they were written",
            times.span(Milestone.RESTORED, Milestone.VERIFIED))
        .add("first-step", times.has(Milestone.FIRST_STEP), "all ranks compute again",
            times.span(Milestone.VERIFIED, Milestone.FIRST_STEP))
        .add("protection", times.has(Milestone.PROTECTED), "the next checkpoint is protected",
            times.span(Milestone.FIRST_STEP, Milestone.PROTECTED));
    if (plan.strike().hidden()) {
      checks.add("return", times.has(Milestone.RETURNED) && failure.isEmpty(), "the hidden nodes have found the others,"
          + " and the run went on to its end", times.span(Milestone.PROTECTED, Milestone.RETURNED));
    }
    if (plan.strike().hangs()) {
      checks.add("prefix", times.has(Milestone.ANSWERED) && failure.isEmpty(), "restart and checkpoint went on while"
          + " the prefix directory did not answer, and the run ended when it did again",
          times.span(Milestone.ANSWERED));
    }
    return checks.objectives(bounds, rtoSeconds(), "to the first step again", lostSeconds).list();
  }

  /** Whether every check passed. */
  boolean passed(Objectives bounds) {
    return checks(bounds).stream().allMatch(check -> check.result() == Result.PASSED);
  }
}
