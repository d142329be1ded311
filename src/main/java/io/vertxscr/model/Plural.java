package io.vertxscr.model;

/** Numbers of things, in words. */
public final class Plural {
  private Plural() {}

  /** {@code 1 node}, {@code 2 nodes}. @param thing its singular, whose plural takes an s */
  public static String of(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
