package io.vertxscr.storage;

import io.vertxscr.model.Limits;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a machine as one process sees them. These are the file system, and the lock files that the process
 * holds.
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
  /** File systems of one machine whose attributes tell of each write at once, finer than seconds. */
  private static final Set<String> EXACT = Set.of("tmpfs", "ramfs", "ext4", "xfs", "btrfs", "f2fs", "zfs", "overlay");

  private final FileSystem system;
  private final List<Mount> mounts;
  private final Set<Path> held = ConcurrentHashMap.newKeySet();
  private final Map<Path, Share> shares = new HashMap<>();

  /** A lock that the process shares with others, for several of its parts. */
  private static final class Share {
    private final FileChannel channel;
    private int holders = 1;

    Share(FileChannel channel) {
      this.channel = channel;
    }
  }

  /** Another file system, at and below an absolute directory. */
  public record Mount(String directory, FileSystem system) {
    boolean has(String name) {
      return name.equals(directory) || name.startsWith(directory + "/");
    }
  }

  /** Files of this file system, for all nodes of the process. */
  public LocalFiles(FileSystem system) {
    this(system, List.of());
  }

  /** The same, but for what is mounted. */
  public LocalFiles(FileSystem system, List<Mount> mounts) {
    this.system = system;
    this.mounts = List.copyOf(mounts);
  }

  /** Those of the machine. For the edge of a process: once, or where no other part of the process takes locks. */
  public static LocalFiles ofThisMachine() {
    return ofThisMachine(List.of());
  }

  /** The same, with what is mounted for this process alone. */
  public static LocalFiles ofThisMachine(List<Mount> mounts) {
    return new LocalFiles(FileSystems.getDefault(), mounts);
  }

  /** The path that a message or parameter names. */
  public Path path(String name) {
    for (Mount mount : mounts) {
      if (mount.has(name)) {
        return mount.system().getPath(name);
      }
    }
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

  /**
   * Shares a lock file, with other parts of this process and with other processes. Makes the file if it is missing.
   *
   * @param lockFile as for {@link #hold}, with which it does not go together
   * @return whether it is shared now; then the caller ends that with {@link #unshare}
   * @throws io.vertxscr.model.ScrException IO
   */
  public boolean share(Path lockFile) {
    synchronized (shares) {
      Share present = shares.get(lockFile);
      if (present != null) {
        present.holders++;
        return true;
      }
      if (!held.add(lockFile)) {
        return false;
      }
      boolean shared = false;
      try {
        FileChannel channel = RegularFile.change(lockFile);
        try {
          shared = channel.tryLock(0, Long.MAX_VALUE, true) != null;
        } catch (OverlappingFileLockException _) {
          shared = false;                                 // by another part of this process, with files of its own
        } finally {
          if (shared) {
            shares.put(lockFile, new Share(channel));
          } else {
            channel.close();
          }
        }
        return shared;
      } catch (IOException e) {
        throw Faults.io(lockFile, e);
      } finally {
        if (!shared) {
          held.remove(lockFile);
        }
      }
    }
  }

  /** Ends a {@link #share}; the last one closes the file. */
  public void unshare(Path lockFile) {
    synchronized (shares) {
      Share share = shares.get(lockFile);
      if (--share.holders > 0) {
        return;
      }
      shares.remove(lockFile);
      try {
        share.channel.close();
      } catch (IOException e) {
        throw Faults.io(lockFile, e);
      } finally {
        held.remove(lockFile);
      }
    }
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
      // a FileStore needs the table of mounts, which may lack it
      return bounded(directory.toFile().getUsableSpace());
    }
    try {
      return bounded(Files.getFileStore(directory).getUsableSpace());
    } catch (IOException _) {
      return 0;
    }
  }

  /** Some file systems claim to have no end. */
  private static long bounded(long bytes) {
    return Math.min(bytes, Limits.MAX_BYTES);
  }

  /** The free share of the file system of a directory, 0 to 1; NaN where that cannot be found out. */
  public static double freeRatio(Path directory) {
    return (double) usableBytes(directory) / wholeBytes(directory);
  }

  /** Size of a directory's file system; 0 where that cannot be found out. */
  public static long wholeBytes(Path directory) {
    if (directory.getFileSystem() == FileSystems.getDefault()) {
      return bounded(directory.toFile().getTotalSpace());
    }
    try {
      return bounded(Files.getFileStore(directory).getTotalSpace());
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

  /** Whether attributes tell of each write to a directory's files; not where that cannot be found out. */
  static boolean isExact(Path directory) {
    try {
      return EXACT.contains(Files.getFileStore(directory).type());
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
