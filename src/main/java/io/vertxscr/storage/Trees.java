package io.vertxscr.storage;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributeView;
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
   * Deletes all that is in a directory, as far as it can be deleted. Nothing if it does not exist, or is a link. Where
   * the file system has open directories, files are deleted by their names in these: a file takes one call of the
   * system, where its path takes three.
   */
  static void empty(Path directory) throws IOException {
    try (DirectoryStream<Path> holder = Files.newDirectoryStream(directory.getParent())) {
      if (holder instanceof SecureDirectoryStream<Path> open) {
        if (isDirectory(open, directory.getFileName())) {
          empty(open, directory.getFileName());
        }
        return;
      }
    } catch (NoSuchFileException _) {
      return;                                             // what holds it does not exist either
    }
    deleteEach(list(directory), Trees::delete);
  }

  private static void empty(SecureDirectoryStream<Path> holder, Path name) throws IOException {
    try (SecureDirectoryStream<Path> directory = holder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
      deleteEach(directory, entry -> delete(directory, entry.getFileName()));
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** What cannot be deleted keeps nothing else from it. */
  private static void deleteEach(Iterable<Path> entries, Deletion deletion) throws IOException {
    IOException failed = null;
    for (Path entry : entries) {
      try {
        deletion.delete(entry);
      } catch (NoSuchFileException _) {
        // somebody was faster
      } catch (IOException e) {
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  private static void delete(SecureDirectoryStream<Path> holder, Path name) throws IOException {
    try {
      holder.deleteFile(name);
    } catch (IOException e) {
      if (!isDirectory(holder, name)) {
        throw e;
      }
      empty(holder, name);
      holder.deleteDirectory(name);
    }
  }

  private static boolean isDirectory(SecureDirectoryStream<Path> holder, Path name) throws IOException {
    try {
      return holder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
          .readAttributes().isDirectory();
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  /** Deletes a file, or a directory with all that is in it. */
  private interface Deletion {
    void delete(Path entry) throws IOException;
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
