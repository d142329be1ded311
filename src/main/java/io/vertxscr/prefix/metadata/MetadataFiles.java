package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads small files and directories, with messages that name the path. */
public final class MetadataFiles {
  /** Upper bound for a metadata file. Map parts have about 1 MiB, the index grows by 300 bytes a dataset. */
  private static final long MAX_BYTES = 256L << 20;

  private MetadataFiles() {}

  /**
   * The content of a file; empty if there is none.
   *
   * @throws ScrException CORRUPT with the path where the decoder says so; IO
   */
  public static <T> Optional<T> read(Path path, Function<byte[], T> decoder) {
    byte[] bytes;
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw new ScrException(Fault.CORRUPT,
            path + ": " + Files.size(path) + " bytes are too many for a metadata file");
      }
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    try {
      return Optional.of(decoder.apply(bytes));
    } catch (ScrException e) {
      throw new ScrException(e.fault(), path + ": " + e.getMessage(), e);
    }
  }

  /** Lists the entries of a directory that match a glob pattern, by name. Empty if there is no directory. */
  public static List<Path> list(Path directory, String pattern) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, pattern)) {
      stream.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
    found.sort(Comparator.naturalOrder());
    return found;
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
