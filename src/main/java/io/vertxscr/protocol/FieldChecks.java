package io.vertxscr.protocol;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.util.Collection;
import java.util.List;

/**
 * The checks that several messages share; each refuses with {@link Fault#BAD_REQUEST} and the field's name. A relative
 * path that leads elsewhere is refused with {@link Fault#OUTSIDE_PREFIX}.
 */
public final class FieldChecks {
  /** Largest whole number that every JSON implementation keeps exactly. */
  public static final long MAX_EXACT = (1L << 53) - 1;

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
    rank("rank", rank);
  }

  /** A rank in a field of another name. */
  public static void rank(String field, int rank) {
    range(field, rank, 0, Limits.MAX_RANKS - 1);
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

  /** A path that the system made: absolute, longer than what an application may name. */
  public static void place(String field, String value) {
    if (value == null || !value.startsWith("/")) {
      throw bad(field, "is '" + shown(value) + "', expected an absolute path");
    }
    path(field, value);
  }

  /** A path below a directory that the receiver knows. */
  public static void inside(String field, String value) {
    path(field, value);
    if (value.isEmpty() || value.startsWith("/")
        || value.contains("..") && ("/" + value + "/").contains("/../")) {
      throw new ScrException(Fault.OUTSIDE_PREFIX,
          "field '" + field + "' is '" + shown(value) + "', expected a path that stays below its directory");
    }
  }

  /** The name of one file or directory. */
  public static void component(String field, String value) {
    if (value.isEmpty() || value.length() >= Limits.MAX_NAME_CHARS || value.equals(".") || value.equals("..")
        || value.indexOf('/') >= 0 || value.indexOf('\0') >= 0) {
      throw new ScrException(Fault.OUTSIDE_PREFIX,
          "field '" + field + "' is '" + shown(value) + "', expected a name without '/'");
    }
  }

  private static void path(String field, String value) {
    if (value.length() >= Limits.MAX_PATH_CHARS || value.indexOf('\0') >= 0) {
      throw bad(field, "is '" + shown(value) + "', expected a path below " + Limits.MAX_PATH_CHARS
          + " characters, none of them zero");
    }
  }

  /** The begin of a text that may be long. */
  private static String shown(String value) {
    return value == null || value.length() < Limits.MAX_NAME_CHARS ? value
        : value.substring(0, Limits.MAX_NODE_NAME_CHARS) + "...";
  }

  public static void dataset(int id) {
    range("datasetId", id, 1, Integer.MAX_VALUE);
  }

  /** Number of an attempt; with those of several leaders, in any order. */
  public static void attempt(int attempt) {
    range("attempt", attempt, 0, Integer.MAX_VALUE);
  }

  /** A number of something, a time, or a count that starts at 0. */
  public static void count(String field, long value) {
    range(field, value, 0, MAX_EXACT);
  }

  /** A count that every leader begins above those of all leaders before it. */
  public static void version(String field, long value) {
    range(field, value, 0, Long.MAX_VALUE);
  }

  public static void bytes(String field, long value) {
    range(field, value, 0, Limits.MAX_BYTES);
  }

  /** As many as there may be. */
  public static void size(String field, Collection<?> values, int most) {
    range(field + " (entries)", values.size(), 0, most);
  }

  public static void ranks(String field, List<Integer> ranks) {
    size(field, ranks, Limits.MAX_RANKS);
    for (int rank : ranks) {
      range(field, rank, 0, Limits.MAX_RANKS - 1);
    }
  }

  /** A name that may be empty. */
  public static void label(String field, String value) {
    if (!value.isEmpty()) {
      text(field, value);
    }
  }

  public static void node(String field, String value) {
    if (value.length() > Limits.MAX_NODE_NAME_CHARS) {
      throw bad(field, "has " + value.length() + " characters, expected the name of a node");
    }
    try {
      Names.node(value);
    } catch (ScrException e) {
      throw new ScrException(Fault.BAD_REQUEST, "field '" + field + "': " + e.getMessage(), e);
    }
  }

  /** The name of a node, or nothing. */
  public static void nodeOrNone(String field, String value) {
    if (!value.isEmpty()) {
      node(field, value);
    }
  }

  /** A text for people. */
  public static void sentence(String field, String value) {
    range(field + " (characters)", value.length(), 0, Limits.MAX_SENTENCE_CHARS);
  }

  public static void sentences(String field, List<String> values) {
    size(field, values, Limits.MAX_SENTENCES);
    values.forEach(value -> sentence(field, value));
  }

  /** The number of a fault that this version knows, or 0 for none. */
  public static void fault(int number) {
    if (number != 0 && Fault.of(number).number() != number) {
      throw bad("fault", "is " + number + ", which is no fault's number");
    }
  }

  public static ScrException bad(String field, String what) {
    return new ScrException(Fault.BAD_REQUEST, "field '" + field + "' " + what);
  }
}
