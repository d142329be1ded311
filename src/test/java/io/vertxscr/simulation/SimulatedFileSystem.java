package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.storage.userspace.UserspaceFileSystem;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.spi.FileSystemProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files that one node sees. They are a disk of its own, and the prefix file system of all nodes below {@code /pfs}.
 *
 * <p>Everything that the node's processes do with files goes by an {@link Interference}, which may fail or delay it, or
 * end the node there and then.
 */
final class SimulatedFileSystem extends UserspaceFileSystem {
  /** Where the file system of all nodes is mounted. */
  static final String SHARED = "pfs";
  private static final Map<String, PathMatcher> MATCHERS = new ConcurrentHashMap<>();

  private final String node;
  private final SimulatedDisk own;
  private final SimulatedDisk shared;
  private final Interference interference;
  private final SimulatedFiles provider = new SimulatedFiles(this);
  private final Map<SimulatedChannel, Path> open = new LinkedHashMap<>();
  private Watcher watcher = (_, _, _) -> {};
  private Set<String> small = Set.of();
  private long roomBytes;

  /** What is done to files. */
  enum Operation {
    OPEN, READ, CREATE, WRITE, TRUNCATE, SYNC, CLOSE, DELETE, MOVE, LINK, MAKE_DIRECTORY, LIST;

    /** Whether it changes names in a directory. */
    boolean changesNames() {
      return this == CREATE || this == DELETE || this == MOVE || this == LINK || this == MAKE_DIRECTORY;
    }

    /** Whether it needs room on the disk. */
    boolean grows() {
      return this == CREATE || this == WRITE || this == LINK || this == MAKE_DIRECTORY;
    }
  }

  /** Stands before every operation. */
  @FunctionalInterface
  interface Interference {
    Interference NONE = (_, _, _) -> {};

    /** Somebody is about to use files, and has not looked at them yet: others may do something before. */
    default void enters() {
      // nobody does
    }

    /** Returns where the operation is to be carried out. @throws IOException what it fails with */
    void before(Operation operation, boolean onShared, Path path) throws IOException;

    /** An operation that changes names is done. @throws IOException what the caller hears nevertheless */
    default void behind(Operation operation, Path path) throws IOException {
      // it hears that it is done
    }

    /** Somebody asks for the attributes of what is there, or whether it is there. @throws IOException what it hears */
    default void looks(Path path) throws IOException {
      // most do not mind
    }

    /** So many bytes of a file were read. */
    default void reads(Path path, int bytes) {
      // most do not count
    }

    /** The kind of the file systems, as the table of mounts says. */
    default String kind() {
      return "xfs";
    }

    /** What the node sees under a name of the prefix file system; null: nothing. */
    default Inode seen(Inode directory, String name) {
      return directory.entries.get(name);
    }

    /** Names that the node sees in a directory of the prefix file system. */
    default Set<String> seen(Inode directory) {
      return directory.entries.keySet();
    }

    /** Attributes that the node sees of a file in the prefix file system. */
    default SimulatedAttributes attributes(Inode file) {
      return SimulatedAttributes.of(file);
    }

    /** The node itself has changed names in a directory of the prefix file system. */
    default void changes(Inode directory) {
      // seen at once
    }

    /** The node itself has opened, locked, changed or closed a file of the prefix file system. */
    default void touches(Inode file) {
      // seen at once
    }
  }

  /** Is told of what is looked up in the shared file system. */
  @FunctionalInterface
  interface Watcher {
    /**
     * A path is looked up.
     *
     * @param found null: nothing
     * @param inside whether what it holds may be read: bytes, or entries
     */
    void sees(UserspacePath absolute, Inode found, boolean inside);
  }

  SimulatedFileSystem(String node, SimulatedDisk own, SimulatedDisk shared, Interference interference) {
    this.node = node;
    this.own = own;
    this.shared = shared;
    this.interference = interference;
  }

  /** The one that a path is of. */
  static SimulatedFileSystem of(Path path) {
    return (SimulatedFileSystem) path.getFileSystem();
  }

  String node() {
    return node;
  }

  boolean isShared(UserspacePath absolute) {
    return absolute.getNameCount() > 0 && absolute.name(0).equals(SHARED);
  }

  SimulatedDisk disk(UserspacePath absolute) {
    return isShared(absolute) ? shared : own;
  }

  void enters() {
    interference.enters();
  }

  void before(Operation operation, UserspacePath absolute) throws IOException {
    boolean onShared = isShared(absolute);
    interference.before(operation, onShared, absolute);
    if (operation.grows() && freeBytes(absolute) == 0) {
      throw new IOException("No space left on device");
    }
  }

  void behind(Operation operation, UserspacePath absolute) throws IOException {
    interference.behind(operation, absolute);
  }

  /** From now on files below these directories of the node's own disk have so much room together. */
  void shrink(Set<String> directories, long bytes) {
    small = directories;
    roomBytes = bytes;
  }

  long freeBytes(UserspacePath absolute) {
    long free = disk(absolute).freeBytes();
    return isSmall(absolute) ? Math.min(free, Math.max(0, roomBytes - bytes(small))) : free;
  }

  long totalBytes(UserspacePath absolute) {
    return isSmall(absolute) ? roomBytes : Long.MAX_VALUE;
  }

  private boolean isSmall(UserspacePath absolute) {
    return small.stream().anyMatch(absolute::startsWith);
  }

  /** Of all files below some directories of the node's own disk. */
  long bytes(Set<String> directories) {
    return directories.stream().map(this::getPath).map(this::find)
        .filter(Objects::nonNull).mapToLong(SimulatedFileSystem::bytes).sum();
  }

  private static long bytes(Inode inode) {
    return inode.isDirectory() ? inode.entries.values().stream().mapToLong(SimulatedFileSystem::bytes).sum()
        : inode.size();
  }

  String kind() {
    return interference.kind();
  }

  void reads(Path absolute, int bytes) {
    interference.reads(absolute, bytes);
  }

  void looks(Path absolute) throws IOException {
    interference.enters();
    interference.looks(absolute);
  }

  /** What this node sees there; null: nothing. */
  Inode find(UserspacePath absolute) {
    boolean onShared = isShared(absolute);
    Inode inode = onShared ? shared.root() : own.root();
    for (int at = onShared ? 1 : 0; at < absolute.getNameCount() && inode != null; at++) {
      inode = !inode.isDirectory() ? null
          : onShared ? interference.seen(inode, absolute.name(at)) : inode.entries.get(absolute.name(at));
    }
    if (onShared) {
      watcher.sees(absolute, inode, inode != null && !inode.isDirectory());
    }
    return inode;
  }

  void watch(Watcher by) {
    watcher = by;
  }

  /** The entries of a directory are read. */
  void listed(UserspacePath absolute, Inode directory) {
    if (isShared(absolute)) {
      watcher.sees(absolute, directory, true);
    }
  }

  /** What is there in a directory; null: nothing. Who changes a name asks the file system itself. */
  static Inode now(Inode directory, UserspacePath absolute) {
    return directory.entries.get(absolute.name());
  }

  /** Names in a directory, as this node sees them. */
  Set<String> names(UserspacePath absolute, Inode directory) {
    return isShared(absolute) ? interference.seen(directory) : directory.entries.keySet();
  }

  /** This node has given or taken a name in a directory. */
  void changed(UserspacePath absolute, Inode directory) {
    if (isShared(absolute)) {
      interference.changes(directory);
    }
  }

  /** Attributes of what was found there, as this node sees them. */
  SimulatedAttributes attributes(UserspacePath absolute, Inode file) {
    return isShared(absolute) ? interference.attributes(file) : SimulatedAttributes.of(file);
  }

  /** This node has done something to a file that brings it the attributes. */
  void touched(UserspacePath absolute, Inode file) {
    if (isShared(absolute)) {
      interference.touches(file);
    }
  }

  void opened(SimulatedChannel channel, Path path) {
    open.put(channel, path);
  }

  void closed(SimulatedChannel channel) {
    open.remove(channel);
  }

  /** What is open, once for each channel. */
  List<Path> openFiles() {
    return List.copyOf(open.values());
  }

  /** The process has ended, and with it what it had opened. */
  void processEnds() {
    open.clear();
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  protected void require(UserspacePath whole) throws IOException {
    if (find(whole) == null) {
      throw new NoSuchFileException(whole.toString());
    }
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic", "posix", "unix");
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    PathMatcher matcher = MATCHERS.computeIfAbsent(pattern, FileSystems.getDefault()::getPathMatcher);
    return path -> matcher.matches(Path.of(path.toString()));
  }
}
