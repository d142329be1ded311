package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import java.util.List;
import java.util.Locale;

/** A line for each dataset on its way to the prefix directory: how far, how fast, how long still. */
final class FlushLines {
  private static final int BAR_CHARS = 30;
  private static final long MS_PER_SECOND = 1000;
  private static final long SECONDS_PER_MINUTE = 60;

  private FlushLines() {}

  /**
   * The lines.
   *
   * @param flushes as in the reply to {@code status}
   * @param bars whether a bar is drawn too: for eyes, not for scripts
   */
  static List<String> of(JsonArray flushes, boolean bars) {
    return flushes.stream().map(flush -> line((JsonObject) flush, bars)).toList();
  }

  private static String line(JsonObject flush, boolean bars) {
    JsonObject amount = flush.getJsonObject("amount");
    long done = amount.getLong("doneBytes");
    long total = amount.getLong("totalBytes");
    double part = total == 0 ? 1 : (double) done / total;
    StringBuilder line = new StringBuilder("flush  dataset " + flush.getInteger("datasetId"));
    line.append(flush.getString("name").isEmpty() ? "" : " " + flush.getString("name")).append("  ");
    line.append(bars ? bar(part, BAR_CHARS) + " " : "")
        .append(String.format(Locale.ROOT, "%3d %%, %s of %s", (int) (part * 100), Humane.bytes(done),
            Humane.bytes(total)));
    long rate = amount.getLong("bytesPerSecond");
    line.append(rate > 0 ? ", " + Humane.bytes(rate) + "/s" : "");
    if (flush.containsKey("remainingMs")) {
      line.append(", ").append(duration(flush.getLong("remainingMs"))).append(" left");
    }
    line.append(flush.getString("state").equals("copying") && rate > 0 ? "" : "; " + flush.getString("state"));
    if (flush.containsKey("cause")) {
      line.append("; attempt ").append(flush.getInteger("attempt")).append(", the last one failed: ")
          .append(flush.getString("cause"));
    }
    return line.toString();
  }

  static String bar(double part, int chars) {
    int full = (int) (part * chars);
    return "[" + "#".repeat(full) + ".".repeat(chars - full) + "]";
  }

  /** {@code 9 s}, {@code 12 min}, {@code 3 h 5 min}. */
  static String duration(long ms) {
    long seconds = Math.ceilDiv(ms, MS_PER_SECOND);
    long minutes = Math.ceilDiv(seconds, SECONDS_PER_MINUTE);
    if (seconds < 2 * SECONDS_PER_MINUTE) {
      return seconds + " s";
    }
    return minutes < 2 * SECONDS_PER_MINUTE ? minutes + " min"
        : minutes / SECONDS_PER_MINUTE + " h " + minutes % SECONDS_PER_MINUTE + " min";
  }
}
