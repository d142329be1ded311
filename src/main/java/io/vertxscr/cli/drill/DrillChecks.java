package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillCheck.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Collects the checks of a drill, in the order of its course. Pure. */
final class DrillChecks {
  private final String failure;
  private final List<DrillCheck> checks = new ArrayList<>();
  private boolean going = true;

  /** @param failure text of the part of the course that failed */
  DrillChecks(String failure) {
    this.failure = failure;
  }

  /**
   * Adds the next part of the course; after one that failed the others are skipped.
   *
   * @param text where it passed
   * @param seconds that it took
   */
  DrillChecks add(String name, boolean passed, String text, double seconds) {
    Result result = !going ? Result.SKIPPED : passed ? Result.PASSED : Result.FAILED;
    checks.add(new DrillCheck(name, result, switch (result) {
      case PASSED -> text;
      case FAILED -> failure;
      case SKIPPED -> "not reached";
    }, seconds));
    going = result == Result.PASSED;
    return this;
  }

  /** Adds one that has a reason not to be made, and stops nothing. */
  DrillChecks skip(String name, String why) {
    checks.add(new DrillCheck(name, Result.SKIPPED, why, 0));
    return this;
  }

  /** Adds the two objectives. */
  DrillChecks objectives(DrillOutcome.Objectives bounds, OptionalDouble rtoSeconds, String what,
      OptionalDouble rpoSeconds) {
    checks.add(bound("rto", what, rtoSeconds, bounds.rtoSeconds()));
    checks.add(bound("rpo", "of work lost", rpoSeconds, bounds.rpoSeconds()));
    return this;
  }

  List<DrillCheck> list() {
    return List.copyOf(checks);
  }

  private static DrillCheck bound(String name, String what, OptionalDouble measured, OptionalDouble most) {
    if (measured.isEmpty()) {
      return new DrillCheck(name, Result.SKIPPED, "not measured", 0);
    }
    double seconds = measured.getAsDouble();
    boolean within = most.isEmpty() || seconds <= most.getAsDouble();
    return new DrillCheck(name, within ? Result.PASSED : Result.FAILED, String.format(Locale.ROOT, "%.2f s %s%s",
        seconds, what, most.isEmpty() ? "" : (within ? ", within " : ", more than ") + number(most.getAsDouble())
            + " s"), seconds);
  }

  /** {@code 30}, {@code 0.5}. */
  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
