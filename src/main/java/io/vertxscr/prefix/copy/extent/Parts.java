package io.vertxscr.prefix.copy.extent;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Cuts work on many files into pieces for a few threads. Pure. */
public final class Parts {
  private Parts() {}

  /**
   * The items in their order, in parts that end with the first item that makes them as large as this.
   *
   * @param partBytes at least 1
   * @return none for no items
   */
  public static <T> List<List<T>> of(List<T> items, ToLongFunction<T> bytes, long partBytes) {
    List<List<T>> parts = new ArrayList<>();
    List<T> next = new ArrayList<>();
    long size = 0;
    for (T item : items) {
      next.add(item);
      size += bytes.applyAsLong(item);
      if (size >= partBytes) {
        parts.add(List.copyOf(next));
        next.clear();
        size = 0;
      }
    }
    if (!next.isEmpty()) {
      parts.add(List.copyOf(next));
    }
    return parts;
  }
}
