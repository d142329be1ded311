package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a second daemon out of a node's directories, as long as it is open. The kernel drops it when the process dies.
 *
 * <p>Locks of POSIX belong to a process and vanish when it closes <em>any</em> descriptor of the file. So a second
 * attempt within one process must be refused before it opens the file; hence {@link #HELD}.
 */
public final class NodeLock implements AutoCloseable {
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;

  private NodeLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Acquires the lock of these directories, which must exist.
   *
   * @throws ScrException DUPLICATE_NODE while another daemon has it, IO
   */
  public static NodeLock take(NodeDirectories directories) {
    Path path = directories.lock();
    try {
      path = path.getParent().toRealPath().resolve(path.getFileName());
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
    if (!HELD.add(path)) {
      throw duplicate(path);
    }
    NodeLock taken = null;
    try {
      taken = open(path);
      return taken;
    } finally {
      if (taken == null) {
        HELD.remove(path);
      }
    }
  }

  private static NodeLock open(Path path) {
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = null;
      try {
        lock = channel.tryLock();
      } finally {
        if (lock == null) {
          channel.close();
        }
      }
      if (lock == null) {
        throw duplicate(path);
      }
      return new NodeLock(path, channel);
    } catch (IOException e) {
      throw Faults.io(path, e);
    }
  }

  private static ScrException duplicate(Path path) {
    return new ScrException(Fault.DUPLICATE_NODE, path + ": a daemon of this node is running already; another job on"
        + " this machine needs an SCR_JOB_ID of its own");
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw Faults.io(path, e);
    } finally {
      HELD.remove(path);
    }
  }
}
