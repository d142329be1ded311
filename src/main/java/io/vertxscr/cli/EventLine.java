package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.Paint;
import io.vertxscr.cli.text.StyledLine;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** An event in a line: {@code 14:03:21 n1 flush-done: dataset 12, attempt 1, 1.5 GB, flush 3.200 s}. */
final class EventLine {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
  private static final Set<String> IN_FRONT = Set.of("type", "node", "timeMs", "cause", "run", "dataset");
  private static final double US = 1e6;
  private static final Set<String> GOOD = Set.of("dataset-complete", "flush-done", "restored", "restart-read");
  private static final Set<String> BAD = Set.of("node-left", "run-over", "dataset-discarded", "phase-refused",
      "restart-failed", "restart-passed-over", "restart-anew", "flush-failed", "flush-given-up", "corrupt-found",
      "quarantined", "protection-not-caught-up", "protection-weak");

  private EventLine() {}

  /** @param zone of those who look */
  static StyledLine of(JsonObject event, ZoneId zone) {
    String type = event.getString("type");
    List<String> words = new ArrayList<>();
    for (String common : List.of("run", "dataset")) {
      if (event.getLong(common, 0L) != 0) {
        words.add(common + " " + event.getLong(common));
      }
    }
    event.forEach(field -> {
      if (!IN_FRONT.contains(field.getKey()) && says(field.getValue())) {
        words.add(word(field.getKey(), field.getValue()));
      }
    });
    if (!event.getString("cause", "").isEmpty()) {
      words.add(event.getString("cause"));
    }
    return StyledLine.of(Paint.FAINT, TIME.format(Instant.ofEpochMilli(event.getLong("timeMs")).atZone(zone)) + " ")
        .and(event.getString("node") + " ")
        .and(isBad(event) ? Paint.ALARM : GOOD.contains(type) ? Paint.GOOD : Paint.STRONG, type)
        .and(words.isEmpty() ? "" : ": " + String.join(", ", words));
  }

  /** Whether anything is there, and holds. */
  private static boolean says(Object value) {
    return !(value == null || value.equals(false) || value.equals("")
        || value instanceof JsonArray list && list.isEmpty() || value instanceof JsonObject inner && inner.isEmpty());
  }

  /** The end of a run is none of these where the application has finalized. */
  private static boolean isBad(JsonObject event) {
    return BAD.contains(event.getString("type"))
        && (!event.getString("type").equals("run-over") || event.containsKey("fault"));
  }

  private static String word(String name, Object value) {
    return switch (value) {
      case JsonObject inner when inner.containsKey("doneBytes") -> copied(inner);
      case JsonObject inner ->
          inner.stream().filter(one -> says(one.getValue())).map(one -> word(one.getKey(), one.getValue()))
              .collect(Collectors.joining(", "));
      case Map<?, ?> inner -> word(name, new JsonObject(cast(inner)));
      case Number bytes when name.equals("bytes") || name.endsWith("Bytes") -> Humane.bytes(bytes.longValue());
      case Number us when name.endsWith("Us") -> name.substring(0, name.length() - 2)
          + String.format(Locale.ROOT, " %.3f s", us.longValue() / US);
      case Boolean _ -> name;
      default -> name + " " + value;
    };
  }

  @SuppressWarnings("unchecked")                         // the keys of every map of JSON are text
  private static Map<String, Object> cast(Map<?, ?> map) {
    return (Map<String, Object>) map;
  }

  private static String copied(JsonObject copied) {
    long done = copied.getLong("doneBytes");
    long total = copied.getLong("totalBytes");
    long rate = copied.getLong("bytesPerSecond");
    return (total == 0 ? 100 : (int) (100.0 * done / total)) + " % of " + Humane.bytes(total)
        + (rate > 0 ? ", " + Humane.bytes(rate) + "/s" : "")
        + (copied.containsKey("remainingMs")
            ? ", " + FlushLines.duration(copied.getLong("remainingMs")) + " left" : "");
  }
}
