package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where one daemon keeps its things, as docs/formats/directories.md draws it.
 *
 * @param cache the node's cache directory: files and redundancy
 * @param control the node's control directory: filemaps, lock and socket
 */
public record NodeDirectories(Path cache, Path control) {
  private static final Pattern DATASET = Pattern.compile("scr\\.dataset\\.([1-9][0-9]{0,9})");
  private static final String FILEMAP_SUFFIX = ".scrfilemap";

  public NodeDirectories {
    cache = cache.toAbsolutePath().normalize();
    control = control.toAbsolutePath().normalize();
  }

  /** Makes what is missing of them, also {@code .recycled} and {@code .trash}. */
  public NodeDirectories create() {
    for (Path directory : new Path[] {control, recycled(), trash()}) {
      try {
        Files.createDirectories(directory);
      } catch (IOException e) {
        throw Faults.io(directory, e);
      }
    }
    return this;
  }

  public Path lock() {
    return control.resolve("node.lock");
  }

  public Path socket() {
    return control.resolve("scr.sock");
  }

  public Path filemap(int datasetId) {
    return control.resolve("scr.dataset." + datasetId + FILEMAP_SUFFIX);
  }

  public Path dataset(int datasetId) {
    return dataset(cache, datasetId);
  }

  /** Where a dataset stands in the cache directory of whichever node. */
  public static Path dataset(Path cache, int datasetId) {
    return cache.resolve("scr.dataset." + datasetId);
  }

  /** Where a rank's files of a dataset stand. */
  public Path rank(int datasetId, int rank) {
    return dataset(datasetId).resolve("rank." + rank);
  }

  Path recycled() {
    return cache.resolve(".recycled");
  }

  Path trash() {
    return cache.resolve(".trash");
  }

  /** The dataset whose directory in the cache has this name. */
  static OptionalInt datasetOf(Path directory) {
    return id(directory.getFileName().toString());
  }

  /** The dataset whose filemap in the control directory has this name. */
  static OptionalInt filemapOf(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(FILEMAP_SUFFIX)
        ? id(name.substring(0, name.length() - FILEMAP_SUFFIX.length())) : OptionalInt.empty();
  }

  /**
   * The place of a file below a dataset's directory. Names come from other nodes too, so none may lead out of it.
   *
   * @param name as in {@link FileMeta#name} or a redundancy file's relative name
   * @throws ScrException BAD_REQUEST
   */
  public static Path resolve(Path datasetDirectory, String name) {
    try {
      Path path = datasetDirectory.resolve(name).normalize();
      if (path.startsWith(datasetDirectory.normalize()) && !path.equals(datasetDirectory.normalize())) {
        return path;
      }
    } catch (InvalidPathException _) {
      // Falls through to the refusal.
    }
    throw new ScrException(Fault.BAD_REQUEST, "'" + name + "' leads out of " + datasetDirectory);
  }

  private static OptionalInt id(String name) {
    Matcher matcher = DATASET.matcher(name);
    if (!matcher.matches() || Long.parseLong(matcher.group(1)) > Integer.MAX_VALUE) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(Integer.parseInt(matcher.group(1)));
  }
}
