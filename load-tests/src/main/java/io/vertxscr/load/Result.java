package io.vertxscr.load;

import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Map;

/** One line of output. */
final class Result {
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final long bytes;

  /**
   * Starts the line of a case.
   *
   * @param bytes application data of one run, all ranks
   */
  Result(String name, Daemons.Setup setup, long bytes) {
    this.bytes = bytes;
    fields.put("case", name);
    fields.put("scheme", setup.scheme());
    fields.put("transport", setup.transport());
    fields.put("nodes", setup.nodes());
    fields.put("ranks", setup.ranks());
    fields.put("bytes", bytes);
  }

  /** Starts the line of a command. */
  Result(String name, String command) {
    this.bytes = 0;
    fields.put("case", name);
    fields.put("command", command);
  }

  Result with(String name, Object value) {
    fields.put(name, value instanceof Double number ? rounded(number) : value);
    return this;
  }

  /** Adds durations, and derived figures. */
  Result seconds(Samples seconds) {
    with("seconds", seconds.json());
    return bytes == 0 ? this : with("bytesPerSecond", Math.round(bytes / seconds.median()));
  }

  /** Adds the resources of all daemons. */
  Result cost(Samples cpuSeconds, long peakRssBytes) {
    if (bytes > 0) {
      with("cpuSecondsPerGB", cpuSeconds.mean() / (bytes / 1e9));
    }
    return with("cpuSeconds", cpuSeconds.json()).with("peakRssBytes", peakRssBytes);
  }

  void print() {
    System.out.println(new JsonObject(fields).encode());
  }

  /** Three digits are more than such measurements are good for, and four show that. */
  static double rounded(double value) {
    return Double.isFinite(value) ? new BigDecimal(value).round(new MathContext(4)).doubleValue() : value;
  }
}
