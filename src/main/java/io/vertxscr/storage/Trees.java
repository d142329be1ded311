package io.vertxscr.storage;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Directories as a whole. */
public final class Trees {
  private Trees() {}

  /** Deletes a file or a directory with all that is in it, if it is there. Links are deleted, not followed. */
  public static void delete(Path root) throws IOException {
    Files.walkFileTree(root, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Files.deleteIfExists(file);
        return FileVisitResult.CONTINUE;
      }

      // it is gone meanwhile, or an object that a process has left, of which only lists tell
      @Override
      public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
        if (!(failed instanceof NoSuchFileException)) {
          throw failed;
        }
        Files.deleteIfExists(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult postVisitDirectory(Path directory, IOException failed) throws IOException {
        if (failed != null) {
          throw failed;
        }
        Files.deleteIfExists(directory);
        return FileVisitResult.CONTINUE;
      }
    });
  }

  /**
   * Creates a directory and its missing parents. A link to a directory is none.
   *
   * @return the directory
   */
  public static Path make(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return directory;                                   // cheaper than the exception that making it would throw
    }
    Path parent = directory.getParent();
    if (parent != null) {
      make(parent);
    }
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {   // else somebody was faster
        throw e;
      }
    }
    return directory;
  }

  /** These directories and all above them, the root included, each once. */
  public static Set<Path> upTo(Path root, Collection<Path> directories) {
    Set<Path> all = new LinkedHashSet<>();
    for (Path directory : directories) {
      Path next = directory;
      while (next.startsWith(root) && all.add(next)) {
        next = next.getParent();
      }
    }
    return all;
  }

  /** Lists a directory by name; empty if it does not exist, or is a link. @throws ScrException IO */
  static List<Path> list(Path directory) throws IOException {
    if (!Presence.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }
}
