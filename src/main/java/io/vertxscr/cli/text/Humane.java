package io.vertxscr.cli.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Numbers as people like to read them. */
public final class Humane {
  private static final long KB = 1000;
  private static final long SECONDS_PER_MINUTE = 60;
  private static final long MINUTES_PER_HOUR = 60;
  private static final long HOURS_PER_DAY = 24;

  private Humane() {}

  /** Bytes with a decimal unit: {@code 4.2 MB}. */
  public static String bytes(long bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    double value = bytes;
    while (value >= KB && unit < units.length - 1) {
      value /= KB;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }

  /** A length of time by its two largest units: {@code 9 s}, {@code 12 min}, {@code 3 h 5 min}, {@code 2 d 4 h}. */
  public static String duration(double seconds) {
    long whole = (long) Math.ceil(seconds);
    long minutes = Math.ceilDiv(whole, SECONDS_PER_MINUTE);
    long hours = minutes / MINUTES_PER_HOUR;
    if (whole < 2 * SECONDS_PER_MINUTE) {
      return whole + " s";
    }
    return minutes < 2 * MINUTES_PER_HOUR ? minutes + " min"
        : hours < 2 * HOURS_PER_DAY ? hours + " h " + minutes % MINUTES_PER_HOUR + " min"
        : hours / HOURS_PER_DAY + " d " + hours % HOURS_PER_DAY + " h";
  }

  /** Ranks by their numbers: {@code rank 2}, {@code ranks 0-3, 7}. */
  public static String ranks(Collection<Integer> numbers) {
    return (numbers.size() == 1 ? "rank " : "ranks ") + ranges(numbers);
  }

  /** Numbers in short: {@code 0-3, 7}. */
  public static String ranges(Collection<Integer> numbers) {
    List<Integer> sorted = numbers.stream().sorted().toList();
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < sorted.size();) {
      int end = i;
      while (end + 1 < sorted.size() && sorted.get(end + 1) == sorted.get(end) + 1) {
        end++;
      }
      ranges.add(end == i ? sorted.get(i).toString() : sorted.get(i) + "-" + sorted.get(end));
      i = end + 1;
    }
    return String.join(", ", ranges);
  }
}
