package io.vertxscr.model;

import java.util.Objects;

/**
 * A redundancy scheme and its numbers.
 *
 * @param setSize fewest members of a redundancy set where the failure groups allow it, 2 to 1024; for SINGLE without
 *     meaning
 * @param failures members of a set that may be lost at once: 0 for SINGLE, 1 for XOR, else below {@code setSize}; sets
 *     that come out with fewer members tolerate the loss of all but one
 */
public record Redundancy(Scheme scheme, int setSize, int failures) {
  public static final int MAX_SET_SIZE = 1024;
  /** Most members of an RS set and failures that it tolerates, together: the elements of its field. */
  public static final int MAX_RS_SIZE_AND_FAILURES = 256;

  public Redundancy {
    Objects.requireNonNull(scheme);
    if (setSize < 2 || setSize > MAX_SET_SIZE) {
      throw bad(scheme + ": set size is " + setSize + ", expected 2 to " + MAX_SET_SIZE);
    }
    int least = scheme == Scheme.SINGLE ? 0 : 1;
    if (failures < least || failures >= setSize || (failures > 0 && scheme == Scheme.SINGLE)) {
      throw bad(scheme + " in sets of " + setSize + ": " + failures + " failures cannot be survived, "
          + (scheme == Scheme.SINGLE ? "none can: use another scheme" : "only " + least + " to " + (setSize - 1)));
    }
    if (scheme == Scheme.XOR && failures != 1) {
      throw bad("XOR survives 1 failure, not " + failures + ": use RS");
    }
    if (scheme == Scheme.RS && setSize + failures > MAX_RS_SIZE_AND_FAILURES) {
      throw bad("RS in sets of " + setSize + " for " + failures
          + " failures: set size and failures are together at most " + MAX_RS_SIZE_AND_FAILURES);
    }
  }

  /** The scheme with as many failures as it survives without being asked for more. */
  public static Redundancy of(Scheme scheme, int setSize) {
    return new Redundancy(scheme, setSize, scheme.tolerance());
  }

  private static ScrException bad(String message) {
    return new ScrException(Fault.BAD_CONFIGURATION, message);
  }
}
