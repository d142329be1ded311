package io.vertxscr.service.advice;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.advice.LevelIntervals.OfLevel;
import io.vertxscr.flow.advice.LevelIntervals;
import io.vertxscr.flow.advice.OptimalInterval;
import io.vertxscr.model.FailureHistory;

/** Optimal checkpoint intervals as JSON, with the numbers that they are computed from (docs/json.md). */
public final class IntervalJson {
  private IntervalJson() {}

  /** The fields of {@code scr explain interval --json}. */
  public static JsonObject of(FailureHistory history) {
    LevelIntervals intervals = LevelIntervals.of(history);
    JsonArray levels = new JsonArray();
    intervals.levels().forEach(level -> levels.add(new JsonObject().put("level", level.level().name())
        .put("failures", level.failures()).put("ratePerSecond", level.rate()).put("costSeconds", level.cost())
        .put("youngSeconds", young(level)).put("dalySeconds", level.daly())
        .put("firstOrderSeconds", level.firstOrder())));
    JsonObject json = new JsonObject().put("failures", history.failures())
        .put("computedSeconds", history.computedUs() / 1e6).put("mtbfSeconds", intervals.all().mtbfSeconds())
        .put("levels", levels);
    intervals.used().ifPresent(used -> json.put("usedSeconds", used));
    intervals.shortest().ifPresent(shortest -> json.put("usedLevel", shortest.level().name()));
    intervals.flushEach().ifPresent(each -> json.put("flushEach", each));
    return json;
  }

  /** Young's interval of a level, in seconds. */
  public static double young(OfLevel level) {
    return OptimalInterval.young(level.cost(), 1 / level.rate());
  }
}
