package io.vertxscr.config.run;

import io.vertxscr.config.Checks;

/**
 * When need-checkpoint says yes. Any condition that is set and true suffices; without any it always does.
 *
 * @param everyCalls each so many-th call, 0 for not set (SCR_CHECKPOINT_INTERVAL)
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
}
