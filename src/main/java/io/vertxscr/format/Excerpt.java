package io.vertxscr.format;

import java.util.function.Predicate;

/**
 * Selection of a large hash file. Everything, except that below one key of the root only some children are read. The
 * others are there, empty, so that a key that stands twice is still refused. The checksum is that of the whole file.
 *
 * @param section the key of the root
 * @param wanted which keys below it are to be read
 */
public record Excerpt(String section, Predicate<String> wanted) {
  /** All of it. */
  public static final Excerpt WHOLE = new Excerpt("", _ -> true);
}
