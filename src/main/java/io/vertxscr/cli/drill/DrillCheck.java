package io.vertxscr.cli.drill;

/**
 * One of the things that a drill checks.
 *
 * @param name the same in every drill
 * @param text what was found; for a failure, why
 * @param seconds that this part of the drill took; 0 where it was not reached
 */
record DrillCheck(String name, Result result, String text, double seconds) {
  /** How it came out. */
  enum Result { PASSED, FAILED, SKIPPED }
}
