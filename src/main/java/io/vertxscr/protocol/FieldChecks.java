package io.vertxscr.protocol;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;

/** The checks that several messages share; each refuses with {@link Fault#BAD_REQUEST} and the field's name. */
public final class FieldChecks {
  /** Largest whole number that every JSON implementation keeps exactly. */
  static final long MAX_EXACT = (1L << 53) - 1;

  private FieldChecks() {}

  public static void range(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw bad(field, "is " + value + ", expected " + least + " to " + most);
    }
  }

  public static void run(long run) {
    range("run", run, 1, MAX_EXACT);
  }

  public static void rank(int rank) {
    range("rank", rank, 0, Limits.MAX_RANKS - 1);
  }

  public static void call(long call) {
    range("call", call, 1, MAX_EXACT);
  }

  /** A text that an application names something by: not empty, no longer than SCR allows. */
  public static void text(String field, String value) {
    if (value == null || value.isEmpty()) {
      throw bad(field, "is missing or empty");
    }
    if (value.length() >= Limits.MAX_NAME_CHARS) {
      throw bad(field, "has " + value.length() + " characters, allowed are " + (Limits.MAX_NAME_CHARS - 1));
    }
    if (value.indexOf('\0') >= 0) {
      throw bad(field, "contains a zero character");
    }
  }

  public static void absolute(String field, String value) {
    text(field, value);
    place(field, value);
  }

  /** A path that the system made: absolute, of any length. */
  public static void place(String field, String value) {
    if (value == null || !value.startsWith("/")) {
      throw bad(field, "is '" + value + "', expected an absolute path");
    }
  }

  public static ScrException bad(String field, String what) {
    return new ScrException(Fault.BAD_REQUEST, "field '" + field + "' " + what);
  }
}
