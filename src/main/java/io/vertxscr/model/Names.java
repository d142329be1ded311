package io.vertxscr.model;

import java.util.regex.Pattern;

/** What nodes and datasets may be called. */
public final class Names {
  private static final Pattern NODE =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0," + (Limits.MAX_NODE_NAME_CHARS - 1) + "}");

  private Names() {}

  /** Returns the name if a node may have it: letters, digits, {@code . _ -}, not starting with a sign. */
  public static String node(String name) {
    if (name == null || !NODE.matcher(name).matches()) {
      throw new ScrException(Fault.BAD_REQUEST, "'" + name + "' cannot name a node: use letters, digits, '.', '_', '-',"
          + " at most " + Limits.MAX_NODE_NAME_CHARS + " characters, starting with a letter or digit");
    }
    return name;
  }

  /** Returns the name if a dataset may have it: below {@link Limits#MAX_NAME_CHARS} characters, none a control. */
  public static String dataset(String name) {
    if (name == null || name.isEmpty() || name.length() >= Limits.MAX_NAME_CHARS
        || name.chars().anyMatch(Character::isISOControl)) {
      throw new ScrException(Fault.BAD_REQUEST, "a dataset's name has 1 to " + (Limits.MAX_NAME_CHARS - 1)
          + " printable characters");
    }
    return name;
  }
}
