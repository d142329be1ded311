package io.vertxscr.config.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * When need-checkpoint says yes. Any condition that is set and true suffices; without any it always does.
 *
 * @param everyCalls every n-th call, 0 for not set (SCR_CHECKPOINT_INTERVAL)
 * @param seconds since the last checkpoint was complete, 0 for not set (SCR_CHECKPOINT_SECONDS)
 * @param overheadPercent most of the run's time that checkpoints may cost, 0 for not set (SCR_CHECKPOINT_OVERHEAD)
 * @param optimal whether the interval is computed from measured costs and failure rates (SCR_CHECKPOINT_OPTIMAL)
 */
public record IntervalPolicy(int everyCalls, int seconds, double overheadPercent, boolean optimal) {
  public static final IntervalPolicy STANDARD = new IntervalPolicy(0, 0, 0, false);

  public IntervalPolicy {
    Checks.range("calls per checkpoint", everyCalls, 0, Integer.MAX_VALUE);
    Checks.range("seconds between checkpoints", seconds, 0, Integer.MAX_VALUE);
    if (!(overheadPercent >= 0 && overheadPercent <= 100)) {
      throw Checks.bad("checkpoint overhead is " + overheadPercent + " percent: expected 0 to 100");
    }
  }

  /** Returns the rule of need-checkpoint in a sentence for the user. */
  public String basis() {
    List<String> set = new ArrayList<>();
    if (everyCalls > 0) {
      set.add("SCR_CHECKPOINT_INTERVAL=" + everyCalls);
    }
    if (seconds > 0) {
      set.add("SCR_CHECKPOINT_SECONDS=" + seconds);
    }
    if (overheadPercent > 0) {
      set.add("SCR_CHECKPOINT_OVERHEAD=" + overheadPercent);
    }
    if (optimal) {
      set.add("SCR_CHECKPOINT_OPTIMAL=1");
    }
    return set.isEmpty() ? "need-checkpoint says yes to every call: none of SCR_CHECKPOINT_INTERVAL,"
        + " SCR_CHECKPOINT_SECONDS, SCR_CHECKPOINT_OVERHEAD and SCR_CHECKPOINT_OPTIMAL is set"
        : "need-checkpoint goes by " + String.join(", ", set);
  }
}
