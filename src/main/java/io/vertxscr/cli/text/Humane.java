package io.vertxscr.cli.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Numbers as people like to read them. */
public final class Humane {
  private static final long KB = 1000;

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
