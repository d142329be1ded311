package io.vertxscr.storage;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Whether something is there. {@link Files#exists} and its like say no, too, where a file system gives an error: a
 * checkpoint would count as lost, or another one's files as nobody's, for what may pass. Here that is a failure.
 * Blocking.
 */
public final class Presence {
  private Presence() {}

  /**
   * Looks what is there; links are not followed.
   *
   * @return empty where nothing is, nor its directory
   * @throws ScrException IO where that cannot be found out
   */
  public static Optional<BasicFileAttributes> look(Path path) {
    return attributes(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** The same of what links lead to. @throws ScrException IO */
  public static Optional<BasicFileAttributes> follow(Path path) {
    return attributes(path);
  }

  private static Optional<BasicFileAttributes> attributes(Path path, LinkOption... options) {
    try {
      return Optional.ofNullable(
          path.getFileSystem().provider().readAttributesIfExists(path, BasicFileAttributes.class, options));
    } catch (IOException e) {
      if (ScrException.reason(e).contains("Not a directory")) {
        return Optional.empty();
      }
      throw Faults.io(path, e);
    }
  }

  /** Whether there is anything. @throws ScrException IO */
  public static boolean exists(Path path) {
    return look(path).isPresent();
  }

  /** Whether a directory is there. @throws ScrException IO */
  public static boolean isDirectory(Path path) {
    return look(path).filter(BasicFileAttributes::isDirectory).isPresent();
  }

  /** The path itself, or the nearest directory above it that is there. @throws ScrException IO */
  public static Path nearest(Path absolute) {
    Path at = absolute;
    while (!exists(at)) {
      at = at.getParent();
    }
    return at;
  }

  /** Whether a file is there. @throws ScrException IO */
  public static boolean isFile(Path path) {
    return look(path).filter(BasicFileAttributes::isRegularFile).isPresent();
  }
}
