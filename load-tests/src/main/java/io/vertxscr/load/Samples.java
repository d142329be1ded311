package io.vertxscr.load;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values measured one after the other. */
final class Samples {
  private final double[] sorted;

  Samples(double... values) {
    sorted = values.clone();
    Arrays.sort(sorted);
  }

  double median() {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  double mean() {
    return Arrays.stream(sorted).average().orElseThrow();
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("median", Result.rounded(median()));
    json.put("min", Result.rounded(sorted[0]));
    json.put("max", Result.rounded(sorted[sorted.length - 1]));
    json.put("runs", sorted.length);
    return json;
  }
}
