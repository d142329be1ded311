package io.vertxscr.config.policy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;

/** Conditions that the settings records check, so that none exists with a value out of its range. */
public final class Checks {
  private Checks() {}

  public static void range(String what, long value, long min, long max) {
    require(value >= min && value <= max, what + " is " + value + ": expected " + min + " to " + max);
  }

  public static void absolute(String what, Path path) {
    require(path.isAbsolute(), what + " '" + path + "': expected an absolute path");
  }

  /** It becomes one level of a directory's path, and must not lead anywhere else. */
  public static void component(String what, String name) {
    boolean good = !name.isBlank() && !name.equals(".") && !name.equals("..") && name.indexOf('/') < 0
        && name.chars().noneMatch(Character::isISOControl);
    require(good, what + " '" + name + "' cannot name a directory");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw bad(message);
    }
  }

  public static ScrException bad(String message) {
    return new ScrException(Fault.BAD_CONFIGURATION, message);
  }
}
