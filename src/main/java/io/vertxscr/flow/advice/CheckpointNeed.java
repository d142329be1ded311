package io.vertxscr.flow.advice;

import java.util.OptionalDouble;

/**
 * Decides whether a checkpoint is due. Any condition that is set and holds is enough; without any the answer is yes.
 * Times in seconds, by a clock that starts anywhere. Pure.
 *
 * <pre>
 *   every n-th call      call % n == 0
 *   seconds              now - end of the last one, or begin of the run &gt;= seconds
 *   overhead             cost / (now - end of the last one + cost) &lt;= percent / 100
 *   optimal              now - end of the last one &gt;= optimal interval
 * </pre>
 * Overhead and optimal interval need to know what a checkpoint costs: the first one is written at once.
 */
public final class CheckpointNeed {
  private CheckpointNeed() {}

  /**
   * Configured conditions; 0 means not configured.
   *
   * @param optimal whether the interval is computed
   */
  public record Conditions(long everyCalls, double seconds, double overheadPercent, boolean optimal) {
    boolean none() {
      return everyCalls == 0 && seconds == 0 && overheadPercent == 0 && !optimal;
    }
  }

  /**
   * Measured values.
   *
   * @param sinceLast seconds since the last checkpoint was complete, or since the run began
   * @param cost seconds that a checkpoint takes from the application; empty before the first
   * @param optimal seconds between the end of one checkpoint and the begin of the next; empty where unknown
   */
  public record Known(double sinceLast, OptionalDouble cost, OptionalDouble optimal) {}

  /** Returns the answer to the next calls. A checkpoint is due once, until it is written. */
  public static Advice wanted(Conditions conditions, Known known) {
    if (conditions.none()) {
      return new Advice(Rule.yes("no interval is configured"), false);
    }
    if (conditions.seconds() > 0 && known.sinceLast() >= conditions.seconds()) {
      return due("SCR_CHECKPOINT_SECONDS");
    }
    if (conditions.overheadPercent() > 0 && affordable(conditions.overheadPercent(), known)) {
      return due("SCR_CHECKPOINT_OVERHEAD");
    }
    boolean unknownCost = known.cost().isEmpty() || known.optimal().isEmpty();
    if (conditions.optimal() && (unknownCost || known.sinceLast() >= known.optimal().getAsDouble())) {
      return due("SCR_CHECKPOINT_OPTIMAL");
    }
    return new Advice(conditions.everyCalls() > 0
        ? new Rule(conditions.everyCalls(), "SCR_CHECKPOINT_INTERVAL") : Rule.NO, false);
  }

  private static boolean affordable(double percent, Known known) {
    if (known.cost().isEmpty()) {
      return true;
    }
    double cost = known.cost().getAsDouble();
    return cost * 100 <= percent * (known.sinceLast() + cost);
  }

  private static Advice due(String why) {
    return new Advice(Rule.yes(why), true);
  }
}
