package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a machine as one process sees them: the file system, and the lock files that the process holds.
 *
 * <p>Below the edge, every path comes from one of these: names in messages and parameters are strings, and become paths
 * of its file system. A test hands in one that loses, tears, fills, fails or hangs.
 *
 * <p>All nodes of a process share one: locks of POSIX belong to a process and vanish when it closes <em>any</em>
 * descriptor of the file, so who would lock a file a second time must know that before it is opened. Thread-safe.
 */
public final class LocalFiles {
  /** File systems whose files are nowhere but in memory. */
  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs");

  private final FileSystem system;
  private final Set<Path> held = ConcurrentHashMap.newKeySet();

  /** Files of this file system, for all nodes of the process. */
  public LocalFiles(FileSystem system) {
    this.system = system;
  }

  /** Those of the machine. For the edge of a process: once, or where no other part of the process takes locks. */
  public static LocalFiles ofThisMachine() {
    return new LocalFiles(FileSystems.getDefault());
  }

  /** The path that a message or parameter names. */
  public Path path(String name) {
    return system.getPath(name);
  }

  /**
   * Takes the turn of a lock file within this process.
   *
   * @param lockFile with a real path, so that one file has one name
   * @return whether the caller has it now; then it ends it with {@link #release}
   */
  public boolean hold(Path lockFile) {
    return held.add(lockFile);
  }

  /** Ends the turn of {@link #hold}; after the file is closed. */
  public void release(Path lockFile) {
    held.remove(lockFile);
  }

  /** The one name of a file in a directory that exists. */
  public static Path real(Path file) {
    try {
      return file.getParent().toRealPath().resolve(file.getFileName());
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
  }

  /** What the file system of a directory can still take; 0 where that cannot be found out. */
  public static long usableBytes(Path directory) {
    if (directory.getFileSystem() == FileSystems.getDefault()) {
      return directory.toFile().getUsableSpace();         // a FileStore needs the table of mounts, which may lack it
    }
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException _) {
      return 0;
    }
  }

  /** Whether a loss of power takes all of a directory's file system; not where that cannot be found out. */
  public static boolean isInMemory(Path directory) {
    try {
      return MEMORY.contains(Files.getFileStore(directory).type());
    } catch (IOException _) {
      return false;
    }
  }

  /** Length of a file; 0 where there is none. */
  public static long bytes(Path file) {
    try {
      return Files.size(file);
    } catch (IOException _) {
      return 0;
    }
  }
}
