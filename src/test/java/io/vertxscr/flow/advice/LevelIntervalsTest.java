package io.vertxscr.flow.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import org.junit.jupiter.api.Test;

class LevelIntervalsTest {
  private static final long DAY_US = 86_400_000_000L;

  /** Ten days of runs in all, with the prior's one. 4.5 + 0.5 failures of processes make one in two days. */
  @Test
  void eachLevelHasItsIntervalByItsOwnCostAndRate() {
    FailureHistory history = FailureHistory.EMPTY.computed(9 * DAY_US)
        .costing(Level.PROCESS, 1_000_000).costing(Level.NODE, 2_000_000).costing(Level.PREFIX, 100_000_000)
        .failed(Level.PROCESS).failed(Level.PROCESS).failed(Level.NODE);
    LevelIntervals intervals = LevelIntervals.of(history);
    double day = 86_400;
    assertThat(intervals.levels()).extracting(LevelIntervals.OfLevel::level).containsExactly(Level.values());
    assertThat(intervals.levels().get(0).firstOrder()).isCloseTo(Math.sqrt(2 * 1 * 10 * day / 2.5), within(1e-6));
    assertThat(intervals.levels().get(1).firstOrder()).isCloseTo(Math.sqrt(2 * 2 * 10 * day / 1.4), within(1e-6));
    assertThat(intervals.levels().get(2).firstOrder()).isCloseTo(Math.sqrt(2 * 100 * 10 * day / 0.1), within(1e-6));
    assertThat(intervals.all().mtbfSeconds()).isCloseTo(10 * day / 4, within(1e-6));
    assertThat(intervals.used()).hasValue(OptimalInterval.daly(1, 10 * day / 2.5));
    assertThat(intervals.flushEach()).contains(Math.round(
        OptimalInterval.daly(100, 10 * day / 0.1) / OptimalInterval.daly(1, 10 * day / 2.5)));
  }

  @Test
  void failuresOfALevelThatIsNotWrittenFallToTheNext() {
    FailureHistory history = FailureHistory.EMPTY.computed(DAY_US).costing(Level.NODE, 3_000_000)
        .failed(Level.PROCESS).failed(Level.PROCESS).failed(Level.NODE).failed(Level.PREFIX);
    LevelIntervals intervals = LevelIntervals.of(history);
    assertThat(intervals.levels()).hasSize(1);
    assertThat(intervals.levels().getFirst().failures()).isEqualTo(3);
    assertThat(intervals.levels().getFirst().rate()).isCloseTo((3 + 0.9) / (2 * 86_400), within(1e-12));
    assertThat(intervals.all().failures()).isEqualTo(4);
    assertThat(intervals.flushEach()).isEmpty();
  }

  @Test
  void nothingMeasuredMeansNoInterval() {
    assertThat(LevelIntervals.of(FailureHistory.EMPTY.failed(Level.NODE)).used()).isEmpty();
  }

  /** Failures that are counted as worse ones are counted once. */
  @Test
  void additionsAddUpAndNewerCostsCount() {
    FailureHistory first = FailureHistory.EMPTY.computed(5).failed(Level.NODE).costing(Level.NODE, 7);
    FailureHistory more = FailureHistory.EMPTY.computed(6).worse(Level.NODE, Level.PREFIX).failed(Level.PROCESS);
    FailureHistory sum = first.plus(more);
    assertThat(sum.computedUs()).isEqualTo(11);
    assertThat(sum.failures()).isEqualTo(2);
    assertThat(sum.of(Level.NODE).failures()).isZero();
    assertThat(sum.of(Level.NODE).costUs()).hasValue(7);
    assertThat(sum.of(Level.PREFIX).failures()).isOne();
    assertThat(sum.plus(FailureHistory.EMPTY.costing(Level.NODE, 9)).of(Level.NODE).costUs()).hasValue(9);
  }
}
