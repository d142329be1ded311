package io.vertxscr.model;

import java.util.Collection;
import java.util.List;

/** Numbers of things, in words. */
public final class Plural {
  private Plural() {}

  /** {@code 1 node}, {@code 2 nodes}. @param thing its singular, whose plural takes an s */
  public static String of(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  /** {@code a, b and 3 more}. @param most that are named */
  public static String list(Collection<?> things, int most) {
    return list(things, most, things.size());
  }

  /** {@code a, b and 3 more}. @param first of so many in all, as many as may be named at least */
  public static String list(Collection<?> first, int most, int all) {
    List<String> named = first.stream().limit(most).map(String::valueOf).toList();
    return String.join(", ", named) + (all > named.size() ? " and " + (all - named.size()) + " more" : "");
  }
}
