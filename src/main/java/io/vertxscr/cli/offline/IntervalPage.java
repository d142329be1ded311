package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.TextTable;
import io.vertxscr.flow.advice.LevelIntervals.OfLevel;
import io.vertxscr.flow.advice.LevelIntervals;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.service.advice.IntervalJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Optimal checkpoint intervals, with the numbers that they are computed from. */
final class IntervalPage {
  private static final double HOUR_SECONDS = 3600;
  private static final double DAY_SECONDS = 86_400;

  private IntervalPage() {}

  static List<String> lines(FailureHistory history) {
    LevelIntervals intervals = LevelIntervals.of(history);
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "%d failures in %.1f h of runs; with the one a day that is expected"
        + " before any was seen: one in %.1f h", history.failures(), history.computedUs() / 1e6 / HOUR_SECONDS,
        intervals.all().mtbfSeconds() / HOUR_SECONDS));
    if (intervals.levels().isEmpty()) {
      lines.add("No checkpoint was measured yet: the first one is written at once.");
      return lines;
    }
    lines.add("");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("level", "failures", "rate 1/day", "cost s", "young s", "daly s", "sqrt(2 C/lambda) s"));
    for (OfLevel level : intervals.levels()) {
      rows.add(List.of(level.level().name().toLowerCase(Locale.ROOT), "" + level.failures(),
          number(level.rate() * DAY_SECONDS), number(level.cost()), number(IntervalJson.young(level)),
          number(level.daly()), number(level.firstOrder())));
    }
    lines.addAll(TextTable.lines(rows, Set.of(1, 2, 3, 4, 5, 6)));
    lines.add("");
    lines.add("SCR_CHECKPOINT_OPTIMAL=1 uses " + number(intervals.used().orElseThrow()) + " s from the end of a"
        + " checkpoint to the begin of the next: Daly's of level "
        + intervals.shortest().orElseThrow().level().name().toLowerCase(Locale.ROOT));
    intervals.flushEach().ifPresent(each -> lines.add(
        "so often, every " + each + ". checkpoint should go to the prefix directory (SCR_FLUSH=" + each + ")"));
    return lines;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.3f" : "%.1f", value);
  }
}
