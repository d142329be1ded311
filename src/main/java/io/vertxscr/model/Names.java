package io.vertxscr.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Rules for the names of nodes and datasets. */
public final class Names {
  private static final Pattern NODE =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0," + (Limits.MAX_NODE_NAME_CHARS - 1) + "}");

  /** Longest name of one file that every file system takes, in bytes. */
  public static final int MAX_COMPONENT_BYTES = 255;

  private Names() {}

  /**
   * Text for a line of a terminal, log or event. Control characters are written as <code>\\u001b</code>, also those
   * of Unicode that break lines, hide text or turn its direction: a name of somebody else's forges no line.
   */
  public static String printable(String text) {
    if (!hasControls(text)) {
      return text;
    }
    StringBuilder printable = new StringBuilder(text.length());
    text.chars().forEach(c -> {
      if (isControl(c)) {
        printable.append("\\u%04x".formatted(c));
      } else {
        printable.append((char) c);
      }
    });
    return printable.toString();
  }

  private static boolean hasControls(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isControl(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a character does something to a terminal, instead of being seen on it. */
  public static boolean isControl(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      default -> false;
    };
  }

  /** A name of 64 letters and digits that stands for a longer one. */
  public static String digest(String name) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

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
