package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/**
 * Keeps a second daemon out of a node's directories, as long as it is open. The kernel drops it when the process dies.
 *
 * <p>Locks of POSIX belong to a process and vanish when it closes <em>any</em> descriptor of the file. So a second
 * attempt within one process must be refused before it opens the file; see {@link LocalFiles#hold}.
 */
public final class NodeLock implements AutoCloseable {
  private final LocalFiles files;
  private final Path path;
  private final FileChannel channel;

  private NodeLock(LocalFiles files, Path path, FileChannel channel) {
    this.files = files;
    this.path = path;
    this.channel = channel;
  }

  /**
   * Acquires the lock of these directories, which must exist.
   *
   * @param files those of this process, which knows what it holds
   * @throws ScrException DUPLICATE_NODE while another daemon has it, IO
   */
  public static NodeLock take(NodeDirectories directories, LocalFiles files) {
    Path path = LocalFiles.real(directories.lock());
    if (!files.hold(path)) {
      throw duplicate(path);
    }
    NodeLock taken = null;
    try {
      taken = open(files, path);
      return taken;
    } finally {
      if (taken == null) {
        files.release(path);
      }
    }
  }

  private static NodeLock open(LocalFiles files, Path path) {
    try {
      FileChannel channel = OwnFile.write(path);
      FileLock lock = null;
      try {
        lock = channel.tryLock();
      } catch (OverlappingFileLockException _) {
        // held by another part of this process, with LocalFiles of its own
      } finally {
        if (lock == null) {
          channel.close();
        }
      }
      if (lock == null) {
        throw duplicate(path);
      }
      return new NodeLock(files, path, channel);
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
      files.release(path);
    }
  }
}
