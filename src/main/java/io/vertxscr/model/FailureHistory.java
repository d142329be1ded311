package io.vertxscr.model;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Failures of the runs of a prefix directory, and the costs of their checkpoints. Stored there, so that they outlive
 * runs and allocations. Immutable.
 *
 * @param computedUs microseconds of runs in which the failures were counted
 * @param levels every level; {@link Tally#NONE} where nothing is known of it
 */
public record FailureHistory(long computedUs, Map<Level, Tally> levels) {
  /** Nothing is known. */
  public static final FailureHistory EMPTY = new FailureHistory(0, Map.of());

  /** Levels of failures that a checkpoint protects against; each includes those listed before it. */
  public enum Level {
    /** A process dies: any checkpoint in a cache helps, also without redundancy. */
    PROCESS,
    /** A node is lost: checkpoints with redundancy help. */
    NODE,
    /** More is lost than the caches can make good: what was flushed helps. */
    PREFIX
  }

  /**
   * Of one level.
   *
   * @param failures from which a checkpoint of this level was needed to recover; below 0 in what is to be added only
   * @param costUs what a checkpoint takes from the application, as it was measured last; empty before the first
   */
  public record Tally(long failures, OptionalLong costUs) {
    public static final Tally NONE = new Tally(0, OptionalLong.empty());

    private Tally plus(Tally more) {
      return new Tally(failures + more.failures, more.costUs.isPresent() ? more.costUs : costUs);
    }
  }

  public FailureHistory {
    Map<Level, Tally> all = new EnumMap<>(Level.class);
    for (Level level : Level.values()) {
      all.put(level, levels.getOrDefault(level, Tally.NONE));
    }
    levels = Map.copyOf(all);
  }

  public Tally of(Level level) {
    return levels.getOrDefault(level, Tally.NONE);
  }

  /** All failures. */
  public long failures() {
    return levels.values().stream().mapToLong(Tally::failures).sum();
  }

  /** So much more time and failures, and costs where the other knows newer ones. */
  public FailureHistory plus(FailureHistory more) {
    Map<Level, Tally> sum = new EnumMap<>(Level.class);
    levels.forEach((level, tally) -> sum.put(level, tally.plus(more.of(level))));
    return new FailureHistory(computedUs + more.computedUs, sum);
  }

  /** One failure more. */
  public FailureHistory failed(Level level) {
    return with(level, 1);
  }

  /** Reclassifies a counted failure as worse. */
  public FailureHistory worse(Level from, Level to) {
    return with(from, -1).with(to, 1);
  }

  private FailureHistory with(Level level, long failures) {
    Tally tally = of(level);
    Map<Level, Tally> changed = new EnumMap<>(levels);
    changed.put(level, new Tally(tally.failures() + failures, tally.costUs()));
    return new FailureHistory(computedUs, changed);
  }

  /** A checkpoint takes so much. */
  public FailureHistory costing(Level level, long costUs) {
    Map<Level, Tally> changed = new EnumMap<>(levels);
    changed.put(level, new Tally(of(level).failures(), OptionalLong.of(costUs)));
    return new FailureHistory(computedUs, changed);
  }

  /** So much more computing. */
  public FailureHistory computed(long microseconds) {
    return new FailureHistory(computedUs + microseconds, levels);
  }
}
