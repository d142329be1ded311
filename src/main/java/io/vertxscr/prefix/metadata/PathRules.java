package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Resolves names given by applications to paths below the prefix directory. Names that lead out of it are refused.
 *
 * <p>{@code .} and {@code ..} are taken out textually first, as SCR does. Then the symbolic links of the part that
 * exists are followed, and the result must be below the prefix, whose own links are followed too: so the prefix
 * may be reached by any of its names, and one file has one relative path by any links inside the prefix it
 * is named.
 *
 * <p>An object lives for one phase, because it caches the targets of a directory's links; a name then costs
 * one lookup in the file system, and none where its directory is not there yet. Safe for many threads. Links changed
 * within the phase are caught when the files are copied.
 */
public final class PathRules {
  /** Directories remembered; beyond it they are looked up each time. */
  private static final int MAX_CACHED_DIRECTORIES = 1 << 16;

  private final PrefixPaths paths;
  private final Path realPrefix;
  /** Whether the file system is asked at all. */
  private final boolean looks;
  private final Map<Path, Directory> directories = new ConcurrentHashMap<>();

  /**
   * Resolved path of a name.
   *
   * @param absolute normalised, below the prefix
   * @param relative the same, relative to the prefix
   */
  public record Place(String absolute, String relative) {}

  /**
   * Cached facts about a parent directory.
   *
   * @param isThere if not, nothing in it needs to be looked up
   * @param isForFiles inside the prefix, and not ours
   * @param absolute below the prefix, ending with a slash; like {@code relative} only where it is for files
   */
  private record Directory(Path real, boolean isThere, boolean isForFiles, String absolute, String relative) {}

  /**
   * @param prefix absolute; need not exist yet
   * @throws ScrException {@link Fault#BAD_REQUEST} if it is not absolute or not a directory
   */
  public PathRules(Path prefix) {
    this.paths = new PrefixPaths(prefix);
    if (Presence.look(paths.prefix()).filter(there -> !there.isDirectory() && !there.isSymbolicLink()).isPresent()) {
      throw new ScrException(Fault.BAD_REQUEST, "prefix directory " + paths.prefix() + " is not a directory");
    }
    this.looks = true;
    this.realPrefix = real(paths.prefix(), paths.prefix().toString());
  }

  private PathRules(PrefixPaths paths, Path realPrefix, Map<Path, Directory> seen) {
    this.paths = paths;
    this.looks = false;
    this.realPrefix = realPrefix;
    directories.putAll(seen);
  }

  /**
   * Rules for a file system that does not answer: nothing is looked up. Links count as they were seen before; of
   * others, names are taken literally. A link that leads out of the prefix is found when the file is copied.
   */
  public PathRules withoutLooking() {
    return new PathRules(paths, realPrefix, directories);
  }

  /** Of the prefix directory below which all names lead. */
  public PrefixPaths paths() {
    return paths;
  }

  /** Whether these rules ask the file system. */
  public boolean looks() {
    return looks;
  }

  /** The same for a prefix directory of which nothing has been seen. */
  public static PathRules withoutLooking(Path prefix) {
    PrefixPaths paths = new PrefixPaths(prefix);
    return new PathRules(paths, paths.prefix(), Map.of());
  }

  /**
   * @param directory of the process; relative names start there
   * @param name absolute or relative, of a file that may or may not exist
   * @throws ScrException {@link Fault#OUTSIDE_PREFIX}, or {@link Fault#BAD_REQUEST} for what cannot be a file's name;
   *     the message has the name and the prefix; IO where what is there cannot be found out
   */
  public Place place(String directory, String name) {
    Path path = absolute(directory, name);
    if (path.getFileName() == null) {
      throw outside(path, name);
    }
    Directory parent = directory(path.getParent(), name);
    String base = path.getFileName().toString();
    boolean isSuspicious = !parent.isForFiles || namesDirectory(name) || base.equals(".scr");
    Path inParent = parent.real.resolve(base);
    Optional<BasicFileAttributes> found =
        looks && (parent.isThere || isSuspicious) ? Presence.look(inParent) : Optional.empty();
    if (isSuspicious || found.isPresent()) {
      return place(path, realFile(inParent, found, name), name);
    }
    return new Place(parent.absolute + base, parent.relative + base);
  }

  /**
   * Resolves a name as {@link #place} does, but asks the file system nothing.
   *
   * @param isKnown whether the file at this path, relative to the prefix, has been resolved before
   * @return empty where only the file system can tell
   * @throws ScrException {@link Fault#BAD_REQUEST} for what cannot be a file's name
   */
  public Optional<Place> placeInMemory(String directory, String name, Predicate<String> isKnown) {
    Path path = absolute(directory, name);
    Directory parent = path.getFileName() == null ? null : directories.get(path.getParent());
    if (parent == null || !parent.isForFiles || namesDirectory(name)) {
      return Optional.empty();
    }
    String base = path.getFileName().toString();
    String relative = parent.relative + base;
    boolean needsNoLook = !parent.isThere && !base.equals(".scr") || isKnown.test(relative);
    return needsNoLook ? Optional.of(new Place(parent.absolute + base, relative)) : Optional.empty();
  }

  /** The slow path, for existing files and for all suspicious names. */
  private Place place(Path path, Path real, String name) {
    if (!real.startsWith(realPrefix)) {
      throw outside(path, name);
    }
    Path relative = realPrefix.relativize(real);
    if (relative.toString().isEmpty() || namesDirectory(name)) {
      throw bad(name, "names a directory");
    }
    if (relative.startsWith(".scr")) {
      throw bad(name, "is inside " + paths.scr() + ", which is ours");
    }
    return new Place(paths.prefix().resolve(relative).toString(), relative.toString());
  }

  private Path absolute(String directory, String name) {
    if (name == null || name.isEmpty()) {
      throw new ScrException(Fault.BAD_REQUEST, "a file needs a name; it is empty");
    }
    if (name.length() > Limits.MAX_NAME_CHARS) {
      throw bad(name.substring(0, 64) + "...", "has " + name.length() + " characters, at most " + Limits.MAX_NAME_CHARS
          + " are taken");
    }
    try {
      Path path = paths.path(name);
      if (!path.isAbsolute()) {
        path = base(directory, name).resolve(path);
      }
      path = path.normalize();
      checkComponents(path, name);
      return path;
    } catch (InvalidPathException e) {
      throw bad(name.replace('\0', '?'), "is not a path: " + e.getReason());
    }
  }

  private Path base(String directory, String name) {
    if (directory == null || !directory.startsWith("/")) {
      throw new ScrException(Fault.BAD_REQUEST,
          "'" + name + "' is relative, and the directory of the process, '" + directory + "', is not an absolute path");
    }
    return paths.path(directory);
  }

  private void checkComponents(Path path, String name) {
    // a component never has more than three bytes a char, so short names need no counting
    if (path.toString().length() * 3 <= Names.MAX_COMPONENT_BYTES) {
      return;
    }
    for (Path component : path) {
      if (component.toString().getBytes(StandardCharsets.UTF_8).length > Names.MAX_COMPONENT_BYTES) {
        throw bad(name, "has a component of more than " + Names.MAX_COMPONENT_BYTES + " bytes");
      }
    }
  }

  /** Whether the last component is empty, {@code .} or {@code ..}. */
  private static boolean namesDirectory(String name) {
    return switch (name.substring(name.lastIndexOf('/') + 1)) {
      case "", ".", ".." -> true;
      default -> false;
    };
  }

  /** The file's place with its own link followed as well, should it be one. */
  private Path realFile(Path inParent, Optional<BasicFileAttributes> found, String name) {
    boolean isLink = found.filter(BasicFileAttributes::isSymbolicLink).isPresent();
    Path place = isLink ? follow(inParent, name) : inParent;
    if (place.startsWith(realPrefix) && (isLink ? Presence.look(place) : found)
        .filter(BasicFileAttributes::isDirectory).isPresent()) {
      throw bad(name, "is a directory");
    }
    return place;
  }

  private Directory directory(Path directory, String name) {
    Directory known = directories.get(directory);
    if (known != null) {
      return known;
    }
    Path real = looks ? real(directory, name) : assumed(directory);
    Path relative = real.startsWith(realPrefix) ? realPrefix.relativize(real) : null;
    boolean isForFiles = relative != null && !relative.startsWith(".scr");
    String slashed = !isForFiles || relative.toString().isEmpty() ? "" : relative + "/";
    String top = paths.prefix().toString();
    String absolute = (top.endsWith("/") ? top : top + "/") + slashed;
    Directory found = new Directory(real, looks && isForFiles && Presence.exists(real), isForFiles,
        absolute, slashed);
    if (directories.size() < MAX_CACHED_DIRECTORIES) {
      directories.put(directory, found);
    }
    return found;
  }

  /** Real path of the longest part that exists, with the rest appended as it is. */
  private Path real(Path directory, String name) {
    Path existing = Presence.nearest(directory);
    Path real = follow(existing, name);
    if ((realPrefix == null || real.startsWith(realPrefix)) && !Presence.isDirectory(real)) {
      throw bad(name, "goes through " + existing + ", which is a file and not a directory");
    }
    return real.resolve(existing.relativize(directory)).normalize();
  }

  /** What its nearest known directory leads to, with the rest appended. */
  private Path assumed(Path directory) {
    for (Path above = directory; above != null; above = above.getParent()) {
      Directory known = directories.get(above);
      Path real = known != null ? known.real : above.equals(paths.prefix()) ? realPrefix : null;
      if (real != null) {
        return real.resolve(above.relativize(directory));
      }
    }
    return directory;
  }

  private Path follow(Path existing, String name) {
    try {
      return existing.toRealPath();
    } catch (IOException e) {
      String reason = ScrException.reason(e);
      if (!(e instanceof AccessDeniedException || e instanceof NoSuchFileException || reason.contains("symbolic"))) {
        throw Faults.io(existing, e);
      }
      throw new ScrException(Fault.OUTSIDE_PREFIX, "'" + name + "' goes through " + existing
          + ", of which it cannot be said that it is inside the prefix directory " + paths.prefix() + ": "
          + reason, e);
    }
  }

  private ScrException outside(Path path, String name) {
    String how = path.startsWith(paths.prefix()) ? "leads, through a symbolic link, out of" : "is outside";
    return new ScrException(Fault.OUTSIDE_PREFIX,
        "'" + name + "' (" + path + ") " + how + " the prefix directory " + paths.prefix());
  }

  private ScrException bad(String name, String why) {
    return new ScrException(Fault.BAD_REQUEST,
        "'" + name + "' " + why + "; it cannot be a file of a dataset below the prefix directory " + paths.prefix());
  }
}
