package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** Directories below the prefix: made, checked, and made durable. */
public final class PrefixDirectories {
  /** What {@link #obstacle} says of a directory that does not exist. */
  public static final String NOT_THERE = "is not there";

  private PrefixDirectories() {}

  /**
   * Why nothing can be in it, as the end of a sentence; empty: it is a directory. A file system or store that refuses,
   * or does not answer, is not taken for an absent directory.
   */
  public static Optional<String> obstacle(Path directory) {
    try {
      return Files.readAttributes(directory, BasicFileAttributes.class).isDirectory() ? Optional.empty()
          : Optional.of("is no directory");
    } catch (NoSuchFileException _) {
      return Optional.of(NOT_THERE);
    } catch (IOException e) {
      return Optional.of("cannot be looked at: " + ScrException.reason(e));
    }
  }

  /**
   * The prefix directory that somebody has named to a command, made absolute.
   *
   * @throws ScrException BAD_CONFIGURATION where it is no directory
   */
  public static PrefixPaths named(Path given) {
    Path directory = given.toAbsolutePath().normalize();
    obstacle(directory).ifPresent(why -> {
      throw new ScrException(Fault.BAD_CONFIGURATION, "prefix directory " + directory + " " + why);
    });
    return new PrefixPaths(directory);
  }

  /** Whether this is a path to that prefix directory. @throws ScrException IO */
  public static boolean isSame(String path, PrefixPaths paths) {
    if (path.equals(paths.prefix().toString())) {
      return true;
    }
    Path other = paths.path(path);
    try {
      return Presence.follow(other).isPresent() && Files.isSameFile(other, paths.prefix());
    } catch (IOException e) {
      throw Faults.io(other, e);
    }
  }

  /**
   * Creates a directory and its missing parents below the prefix directory. The prefix directory itself is never
   * created, because it may have to be mounted there; a symbolic link that leads out of the prefix is refused.
   *
   * @throws ScrException OUTSIDE_PREFIX, NO_SPACE, IO
   */
  public static void create(Path prefix, Path directory) {
    try {
      obstacle(prefix).ifPresent(why -> {
        throw new ScrException(Fault.IO, "the prefix directory " + prefix + " " + why
            + (why.equals(NOT_THERE) ? " (is it mounted?)" : ""));
      });
      Files.createDirectories(directory);
      if (!directory.toRealPath().startsWith(prefix.toRealPath())) {
        throw new ScrException(Fault.OUTSIDE_PREFIX,
            directory + " leads, through a symbolic link, out of the prefix directory " + prefix);
      }
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /**
   * The file that a path below the prefix leads to, all links followed. The path itself where there is none.
   *
   * @throws ScrException OUTSIDE_PREFIX where it leads out of the prefix directory; IO
   */
  public static Path inside(Path prefix, Path file) {
    Path real;
    try {
      real = file.toRealPath();
      if (real.startsWith(prefix.toRealPath())) {
        return real;
      }
    } catch (NoSuchFileException _) {
      return file;                                        // who reads it says what that means
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
    throw new ScrException(Fault.OUTSIDE_PREFIX,
        file + " leads, through a symbolic link, out of the prefix directory " + prefix);
  }

  /**
   * Whether there is a directory in which no run has ever begun: each one makes {@code .scr}. Where datasets say
   * otherwise, it is a mount point without its file system.
   */
  public static boolean isBare(PrefixPaths paths) {
    return Files.isDirectory(paths.prefix()) && Files.notExists(paths.scr());
  }

  /** Creates a directory durably, with all its missing parents up to the prefix. */
  public static void createDurably(Path prefix, Path directory) {
    create(prefix, directory);
    force(Trees.upTo(prefix, Set.of(directory)));
  }

  /**
   * Removes empty directories and the parents that become empty by that. The prefix directory, and what is reached
   * through a symbolic link, are never removed. Best effort: what cannot be removed stays, without harm.
   */
  public static void removeEmpty(Path prefix, Collection<Path> directories) {
    Trees.upTo(prefix, directories).stream().filter(directory -> !directory.equals(prefix))
        .sorted(Comparator.comparingInt(Path::getNameCount).reversed()).forEach(directory -> {
          try {
            if (directory.toRealPath().equals(prefix.toRealPath().resolve(prefix.relativize(directory)))) {
              Files.delete(directory);
            }
          } catch (IOException _) {
            // not empty, as most are; or not ours to remove
          }
        });
  }

  /** Syncs these directories. */
  public static void force(Collection<Path> directories) {
    for (Path directory : directories) {
      try {
        AtomicFile.force(directory);
      } catch (IOException e) {
        throw Faults.io(directory, e);
      }
    }
  }
}
