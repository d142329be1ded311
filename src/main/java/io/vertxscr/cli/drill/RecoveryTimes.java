package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * When points of a recovery were reached. Pure.
 *
 * @param points all there are, in their order
 * @param after milliseconds from the loss to those that were reached
 */
record RecoveryTimes<P extends RecoveryPoint>(List<P> points, Map<P, Long> after) {
  private static final double MS = 1000.0;

  RecoveryTimes(P[] points, Map<P, Long> after) {
    this(List.of(points), after);
  }

  boolean has(P point) {
    return after.containsKey(point);
  }

  /** Seconds from the loss; empty where it was not reached. */
  OptionalDouble seconds(P point) {
    Long ms = after.get(point);
    return ms == null ? OptionalDouble.empty() : OptionalDouble.of(ms / MS);
  }

  /** Seconds from the loss; 0 where it was not reached. */
  double span(P to) {
    return seconds(to).orElse(0);
  }

  /** Seconds from one to the other; 0 where one was not reached. */
  double span(P from, P to) {
    return has(from) && has(to) ? Math.max(0, span(to) - span(from)) : 0;
  }

  /** Seconds from the loss to the last one. */
  double end() {
    return after.values().stream().mapToLong(ms -> ms).max().orElse(0) / MS;
  }

  /** Rows of a table of three columns, with a heading. @param rto behind whose time that stands */
  List<List<String>> rows(P rto, Predicate<P> shown) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("since the loss", "seconds", ""));
    points.stream().filter(shown).forEach(point -> {
      OptionalDouble at = seconds(point);
      rows.add(List.of(point.words(), at.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", at.getAsDouble()),
          point.equals(rto) ? "RTO" : ""));
    });
    return rows;
  }

  /** Seconds by field. */
  JsonObject json() {
    JsonObject seconds = new JsonObject();
    points.forEach(point -> DrillPage.put(seconds, point.field(), seconds(point)));
    return seconds;
  }

  /** Adds the seconds, the recovery time and the work lost to the properties of a report. */
  void describe(OptionalDouble rtoSeconds, OptionalDouble lostSeconds, Map<String, String> properties) {
    points.forEach(point -> describe(point.field() + "Seconds", seconds(point), properties));
    describe("rtoSeconds", rtoSeconds, properties);
    describe("rpoSeconds", lostSeconds, properties);
  }

  private static void describe(String name, OptionalDouble seconds, Map<String, String> properties) {
    seconds.ifPresent(value -> properties.put(name, JunitReport.seconds(value)));
  }
}
