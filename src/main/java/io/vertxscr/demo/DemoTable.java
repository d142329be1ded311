package io.vertxscr.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The closing table: what took how long, and how fast bytes moved. At most 80 columns wide. */
public final class DemoTable {
  private static final String FORM = "%-40.40s %16s %9s %8s%n";

  private final List<Row> rows = new ArrayList<>();

  /**
   * @param bytes 0 where the phase moves none
   * @param seconds of wall clock
   */
  record Row(String phase, long bytes, double seconds) {
    String bytesText() {
      return bytes == 0 ? "-" : String.format(Locale.ROOT, "%,d", bytes);
    }

    String rateText() {
      return bytes == 0 || seconds <= 0 ? "-" : String.format(Locale.ROOT, "%.2f", bytes / seconds / 1e9);
    }
  }

  /** Adds a row. */
  public void add(String phase, long bytes, double seconds) {
    rows.add(new Row(phase, bytes, seconds));
  }

  /** The table as lines of text, each with its end. */
  public String text() {
    StringBuilder text = new StringBuilder(String.format(FORM, "phase", "bytes", "seconds", "GB/s"));
    text.append("-".repeat(76)).append(System.lineSeparator());
    for (Row row : rows) {
      String seconds = String.format(Locale.ROOT, "%.3f", row.seconds());
      text.append(String.format(Locale.ROOT, FORM, row.phase(), row.bytesText(), seconds, row.rateText()));
    }
    return text.toString();
  }
}
