package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.RegularFile;
import io.vertxscr.storage.WholeFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads small files and directories, with messages that name the path. */
public final class MetadataFiles {
  /** Upper bound for an index, which grows by 300 bytes a dataset: one of three million can be read. */
  static final long MAX_INDEX_BYTES = 1L << 30;
  /** Upper bound for all other metadata files. Parts of maps have about 1 MiB, those of SCR more. */
  static final long MAX_BYTES = 256L << 20;

  private MetadataFiles() {}

  /**
   * The content of a file; empty if there is none.
   *
   * @throws ScrException CORRUPT with the path where the decoder says so, or where it is no regular file, is too large,
   *     or a directory of ours above it is a link; IO
   */
  public static <T> Optional<T> read(Path path, Function<byte[], T> decoder) {
    return read(path, MAX_BYTES, decoder);
  }

  static <T> Optional<T> read(Path path, long mostBytes, Function<byte[], T> decoder) {
    requireOwnDirectories(path);
    byte[] bytes;
    try {
      bytes = RegularFile.bytes(path, mostBytes);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (RegularFile.WrongKindException e) {
      throw new ScrException(Fault.CORRUPT, path + ": " + e.getReason(), e);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    try {
      return Optional.of(decoder.apply(bytes));
    } catch (ScrException e) {
      throw new ScrException(e.fault(), path + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks the directories of ours that are above a file: {@code .scr}, and those of datasets in it.
   *
   * @throws ScrException CORRUPT where one of them is a link, which may lead anywhere
   */
  public static void requireOwnDirectories(Path file) {
    for (Path directory = file.getParent(); directory != null && PrefixPaths.isOurs(directory);
        directory = directory.getParent()) {
      if (Files.isSymbolicLink(directory)) {
        throw new ScrException(Fault.CORRUPT, directory + ": this is a link, which is not followed");
      }
    }
  }

  /** Lists the entries of a directory that match a glob pattern, by name. Empty if there is no directory. */
  public static List<Path> list(Path directory, String pattern) {
    PathMatcher matcher = directory.getFileSystem().getPathMatcher("glob:" + pattern);
    return list(directory, entry -> matcher.matches(entry.getFileName()));
  }

  /** The same of those that pass a filter. @throws ScrException IO */
  public static List<Path> list(Path directory, DirectoryStream.Filter<Path> filter) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, filter)) {
      stream.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw Faults.io(directory, e.getCause());
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
    found.sort(Comparator.naturalOrder());
    return found;
  }

  /**
   * Gives up files that are still written, where no list has these.
   *
   * @param pattern a glob of their names
   * @return how many there were
   */
  public static int abandon(Path directory, String pattern) {
    try {
      return directory.getFileSystem() instanceof WholeFiles files ? files.abandon(directory, pattern) : 0;
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /** Removes files durably. All are in this directory. */
  public static void delete(Path directory, List<Path> files) {
    boolean any = false;
    for (Path file : files) {
      try {
        any |= Files.deleteIfExists(file);
      } catch (IOException e) {
        throw Faults.io(file, e);
      }
    }
    if (any) {
      PrefixDirectories.force(List.of(directory));
    }
  }
}
