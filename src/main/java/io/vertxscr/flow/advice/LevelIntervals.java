package io.vertxscr.flow.advice;

import io.vertxscr.flow.advice.OptimalInterval.Failures;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Optimal interval of each checkpoint level, by its own cost and the rate of failures that need it. Times are in
 * seconds. Pure.
 *
 * <p>A failure that would need a level of which no checkpoint is written falls to the next one that is. Before any
 * failure was seen, one a day is expected: of ten, five of a process, four of a node, one of more than caches make
 * good; what was seen weighs more the longer runs have computed.
 *
 * <p>Used is the shortest of Daly's intervals: at this rate of checkpoints every other level can be as frequent
 * as it needs to be, by taking every n-th of them to it.
 *
 * @param levels those of which checkpoints were measured, from the least to the most that they help against
 * @param all failures of all levels
 */
public record LevelIntervals(List<OfLevel> levels, Failures all) {
  /** Without any failure seen, one a day is expected. */
  public static final double PRIOR_SECONDS = 86_400;
  private static final Map<Level, Double> PRIOR_SHARE = new EnumMap<>(
      Map.of(Level.PROCESS, 0.5, Level.NODE, 0.4, Level.PREFIX, 0.1));

  /**
   * One level.
   *
   * @param failures that were seen and need it
   * @param rate of them, a second, with those that are expected
   */
  public record OfLevel(Level level, long failures, double rate, double cost) {
    /** T_l = sqrt(2 C_l / lambda_l), which is also Young's. */
    public double firstOrder() {
      return OptimalInterval.ofLevel(cost, rate);
    }

    public double daly() {
      return OptimalInterval.daly(cost, 1 / rate);
    }
  }

  /** From what was measured. */
  public static LevelIntervals of(FailureHistory history) {
    double seconds = history.computedUs() / 1e6;
    List<OfLevel> levels = new ArrayList<>();
    long failures = 0;
    double share = 0;
    for (Level level : Level.values()) {
      failures += history.of(level).failures();
      share += PRIOR_SHARE.get(level);
      if (history.of(level).costUs().isPresent()) {
        levels.add(new OfLevel(level, failures, (failures + share) / (seconds + PRIOR_SECONDS),
            history.of(level).costUs().getAsLong() / 1e6));
        failures = 0;
        share = 0;
      }
    }
    return new LevelIntervals(List.copyOf(levels), new Failures(history.failures(), seconds, PRIOR_SECONDS));
  }

  /** Time from the end of one checkpoint to the begin of the next. Empty before a cached checkpoint was measured. */
  public OptionalDouble used() {
    return shortest().stream().mapToDouble(OfLevel::daly).findFirst();
  }

  /** The level whose interval is used. */
  public Optional<OfLevel> shortest() {
    return levels.stream().min(Comparator.comparingDouble(OfLevel::daly));
  }

  /** Every n-th checkpoint should be flushed, where flushes were measured. */
  public Optional<Long> flushEach() {
    return levels.stream().filter(level -> level.level() == Level.PREFIX).findFirst()
        .map(prefix -> Math.max(1, Math.round(prefix.daly() / used().orElseThrow())));
  }
}
