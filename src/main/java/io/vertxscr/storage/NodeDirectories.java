package io.vertxscr.storage;

import io.vertxscr.model.CacheDirectory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Directories of one daemon, as drawn in docs/formats/directories.md.
 *
 * @param base the default store
 * @param below the way from a store's base to this node's cache directory in it, which has files and redundancy
 * @param control the node's control directory: filemaps, lock and socket
 */
public record NodeDirectories(Path base, Path below, Path control) {
  private static final Pattern DATASET = Pattern.compile("scr\\.dataset\\.([1-9][0-9]{0,9})");
  private static final String FILEMAP_SUFFIX = ".scrfilemap";
  private static final String LOST_WRITES_SUFFIX = ".lostwrites";
  private static final String DRAFT_SUFFIX = ".draft";
  /** Name of a daemon's socket in its control directory. */
  static final String SOCKET = "scr.sock";

  public NodeDirectories {
    base = base.toAbsolutePath().normalize();
    control = control.toAbsolutePath().normalize();
  }

  /** A node with these very directories. */
  public NodeDirectories(Path cache, Path control) {
    this(cache, cache.getFileSystem().getPath(""), control);
  }

  /**
   * Creates missing directories, which are for this user alone.
   *
   * @throws ScrException BAD_CONFIGURATION where another user could change what is in them, IO
   */
  public NodeDirectories create() {
    create(control);
    create(cache());
    return this;
  }

  /** The same for one of them, or for the cache directory in another store. */
  public Path create(Path directory) {
    return PrivateDirectory.make(directory, directory.endsWith(below) ? below.getNameCount() : 1);
  }

  /** The path of this name in the file system that the directories are in. */
  public Path path(String name) {
    return base.getFileSystem().getPath(name);
  }

  /** The cache directory where nobody names another store. */
  public Path cache() {
    return base.resolve(below).normalize();
  }

  /** Directories of the user's other jobs in a store; none where that cannot be found out. */
  List<Path> otherJobs(Path storeBase) {
    Path mine = storeBase.resolve(below).normalize().getParent();
    if (!JobDirectory.is(mine)) {
      return List.of();
    }
    try (Stream<Path> jobs = Files.list(mine.getParent())) {
      return jobs.filter(job -> !job.equals(mine) && JobDirectory.is(job)).sorted().toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  /**
   * The cache directory in a store.
   *
   * @param storeBase absolute
   */
  public CacheDirectory cache(String storeBase) {
    Path path = path(storeBase);
    if (!path.isAbsolute()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "store '" + storeBase + "' is not an absolute path");
    }
    return new CacheDirectory(path.normalize().toString(), path.resolve(below).normalize().toString());
  }

  /**
   * The cache directory of another node of this job on this host, if only this user can have made it. Nobody's word
   * counts for that but the file system's. Blocking.
   */
  public Optional<Path> neighbour(String node, String storeBase) {
    Path cache = path(storeBase).resolve(below.resolveSibling(Names.node(node))).normalize();
    return PrivateDirectory.isThere(cache, below.getNameCount()) ? Optional.of(cache) : Optional.empty();
  }

  public Path lock() {
    return control.resolve("node.lock");
  }

  public Path socket() {
    return control.resolve(SOCKET);
  }

  public Path filemap(int datasetId) {
    return control.resolve("scr.dataset." + datasetId + FILEMAP_SUFFIX);
  }

  /** The mark of a dataset of which a sync has failed. */
  Path lostWrites(int datasetId) {
    return control.resolve("scr.dataset." + datasetId + LOST_WRITES_SUFFIX);
  }

  /** Returns the directory of a dataset in a cache directory. */
  public static Path dataset(Path cache, int datasetId) {
    return cache.resolve("scr.dataset." + datasetId);
  }

  /** Returns the directory of a dataset in a cache directory while its files are brought there. */
  static Path draft(Path cache, int datasetId) {
    return cache.resolve("scr.dataset." + datasetId + DRAFT_SUFFIX);
  }

  /** Whether a directory in the cache is a {@link #draft}. */
  static boolean isDraft(Path directory) {
    return idBefore(DRAFT_SUFFIX, directory).isPresent();
  }

  /** The dataset whose directory in the cache has this name. */
  static OptionalInt datasetOf(Path directory) {
    return id(directory.getFileName().toString());
  }

  /** The dataset whose filemap in the control directory has this name. */
  static OptionalInt filemapOf(Path file) {
    return idBefore(FILEMAP_SUFFIX, file);
  }

  /** The dataset whose {@link #lostWrites} in the control directory have this name. */
  static OptionalInt lostWritesOf(Path file) {
    return idBefore(LOST_WRITES_SUFFIX, file);
  }

  private static OptionalInt idBefore(String suffix, Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(suffix) ? id(name.substring(0, name.length() - suffix.length())) : OptionalInt.empty();
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
