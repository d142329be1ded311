package io.vertxscr.cli.drill;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Result of a drill on a run that is not its own. Pure.
 *
 * @param checkpoint newest one that was protected before the loss; 0 for none
 * @param restored the one that the restart took; 0 for none
 * @param ways how the files of its ranks came to their nodes, in words
 * @param after milliseconds from the loss to each milestone that was reached
 * @param lostSeconds from the begin of the checkpoint that was restored to the loss, by the clocks of two nodes
 * @param difference damage in the restored checkpoint, in words
 * @param unverified why its bytes could not be verified, in words
 * @param failure why the drill came to no end, in words
 */
record LiveOutcome(LivePlan plan, int checkpoint, int restored, String ways, Map<LiveMilestone, Long> after,
    OptionalDouble lostSeconds, Optional<String> difference, Optional<String> unverified, Optional<String> failure) {
  RecoveryTimes<LiveMilestone> times() {
    return new RecoveryTimes<>(LiveMilestone.values(), after);
  }

  /** Recovery time: from the loss until all ranks have read the checkpoint, and compute again. */
  OptionalDouble rtoSeconds() {
    return times().seconds(LiveMilestone.READ);
  }

  /** Everything that is checked, in order; after a failure the rest of the course is skipped. */
  List<DrillCheck> checks(DrillOutcome.Objectives bounds) {
    RecoveryTimes<LiveMilestone> times = times();
    DrillChecks checks = new DrillChecks(difference.or(() -> failure).orElse("not reached"))
        .add("checkpoint", checkpoint > 0, "dataset " + checkpoint + " was protected before the loss", 0)
        .add("detection", times.has(LiveMilestone.DETECTED) && times.has(LiveMilestone.OVER),
            "the loss was noticed, and all ranks were told", times.span(LiveMilestone.OVER))
        .add("restart", times.has(LiveMilestone.BEGUN) && restored > 0,
            "restarted from dataset " + restored + ": " + ways, times.span(LiveMilestone.OVER, LiveMilestone.BEGUN))
        .add("read", times.has(LiveMilestone.READ), "all ranks say that they have read it",
            times.span(LiveMilestone.BEGUN, LiveMilestone.READ))
        .add("protection", times.has(LiveMilestone.PROTECTED), "the next checkpoint is protected",
            times.span(LiveMilestone.READ, LiveMilestone.PROTECTED));
    if (unverified.isPresent() && difference.isEmpty()) {
      checks.skip("bytes", unverified.get());
    } else {
      checks.add("bytes", times.has(LiveMilestone.VERIFIED) && difference.isEmpty(),
          "the caches have every byte as it was written", times.span(LiveMilestone.READ, LiveMilestone.VERIFIED));
    }
    return checks.objectives(bounds, rtoSeconds(), "until all ranks had read the checkpoint", lostSeconds).list();
  }

  /** Whether nothing failed, and it came to its end. */
  boolean passed(DrillOutcome.Objectives bounds) {
    return failure.isEmpty() && checks(bounds).stream().noneMatch(check ->
        check.result() == DrillCheck.Result.FAILED);
  }
}
