package io.vertxscr.storage.object;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Which bytes of a buffer have been written. Not thread-safe. */
final class FilledRanges {
  private final NavigableMap<Integer, Integer> ends = new TreeMap<>();

  /** The bytes from {@code begin} up to {@code end} are there now. */
  void add(int begin, int end) {
    int from = begin;
    int to = end;
    for (Map.Entry<Integer, Integer> near = ends.floorEntry(to); near != null && near.getValue() >= from;
        near = ends.floorEntry(to)) {
      from = Math.min(from, near.getKey());
      to = Math.max(to, near.getValue());
      ends.remove(near.getKey());
    }
    ends.put(from, to);
  }

  /** Nothing from here on is there. */
  void cut(int end) {
    ends.tailMap(end, true).clear();
    Map.Entry<Integer, Integer> last = ends.lastEntry();
    if (last != null && last.getValue() > end) {
      ends.put(last.getKey(), end);
    }
  }

  /** Whether all bytes up to here are there. */
  boolean isWhole(int end) {
    return end == 0 || ends.getOrDefault(0, 0) >= end;
  }
}
