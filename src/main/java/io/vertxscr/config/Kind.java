package io.vertxscr.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Syntax and range of a parameter's value. */
sealed interface Kind {
  /** A whole number, both ends included. */
  record Int(int min, int max) implements Kind {}

  /** A {@link ByteSize}, both ends included. */
  record Bytes(long min, long max) implements Kind {}

  /** Seconds since 1970. */
  record Time() implements Kind {}

  /** A number from 0 to 100, perhaps with a fraction. */
  record Percent() implements Kind {}

  /** 0 or 1. */
  record Flag() implements Kind {}

  /** An absolute path. */
  record Directory() implements Kind {}

  /** Absolute paths, with commas between them. */
  record Directories() implements Kind {}

  /** A path; a relative one starts at the working directory of the reader. */
  record Place() implements Kind {}

  /** One of these words, upper or lower case. */
  record Word(List<String> allowed) implements Kind {}

  /** 0 or 1, of which only this one has an effect, and why. */
  record Always(String value, String why) implements Kind {}

  /** Any text. */
  record Text() implements Kind {}

  /** Returns the objection to this value; empty if it is valid. */
  default Optional<String> complaint(String value) {
    boolean good = switch (this) {
      case Int(int min, int max) -> isIntIn(value, min, max);
      case Bytes(long min, long max) -> {
        var bytes = ByteSize.parse(value);
        yield bytes.isPresent() && bytes.getAsLong() >= min && bytes.getAsLong() <= max;
      }
      case Time _ -> value.matches("[0-9]{1,18}");
      case Percent _ -> value.matches("[0-9]{1,3}(\\.[0-9]{1,9})?") && Double.parseDouble(value) <= 100;
      case Flag _, Always _ -> value.equals("0") || value.equals("1");
      case Directory _ -> isAbsolutePath(value);
      case Directories _ -> Stream.of(value.split(",", -1)).allMatch(path -> isAbsolutePath(path.strip()));
      case Place _ -> isPath(value);
      case Word(List<String> allowed) -> allowed.stream().anyMatch(value::equalsIgnoreCase);
      case Text _ -> !value.isBlank();
    };
    return good ? Optional.empty() : Optional.of("expected " + expected() + hint(value));
  }

  private String hint(String value) {
    return this instanceof Word(List<String> allowed) ? Nearest.hint(value, allowed) : "";
  }

  /** The values it may have, in words. */
  default String expected() {
    return switch (this) {
      case Int(int min, int max) -> "a whole number from " + min + " to " + max;
      case Bytes(long min, long max) -> "a size from " + min + " to " + max + " bytes, such as 300KB or 1.5g";
      case Time _ -> "seconds since 1970";
      case Percent _ -> "a number from 0 to 100";
      case Flag _, Always _ -> "0 or 1";
      case Directory _ -> "an absolute path";
      case Directories _ -> "absolute paths with commas between them";
      case Place _ -> "a path";
      case Word(List<String> allowed) -> "one of " + String.join(", ", allowed);
      case Text _ -> "a text";
    };
  }

  private static boolean isIntIn(String value, int min, int max) {
    try {
      int number = Integer.parseInt(value);
      return number >= min && number <= max;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private static boolean isAbsolutePath(String value) {
    return isPath(value) && Path.of(value).isAbsolute();
  }

  private static boolean isPath(String value) {
    try {
      return !value.isBlank() && Path.of(value).getNameCount() >= 0;
    } catch (InvalidPathException _) {
      return false;
    }
  }
}
