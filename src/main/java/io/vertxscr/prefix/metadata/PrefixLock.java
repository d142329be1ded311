package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * {@code <prefix>/.scr/index.lock}: lock for replacing a shared file of the prefix directory. Its content is a line
 * with the current or last owner; the lock itself is the operating system's and ends with the process.
 *
 * <p>Locks of POSIX belong to a process and vanish when it closes <em>any</em> descriptor of the file. So within one
 * process (several nodes may live in one) the turns are taken with a semaphore, before the file is opened.
 */
final class PrefixLock {
  private static final Map<Path, Semaphore> TURNS = new ConcurrentHashMap<>();
  private static final long RETRY_MS = 10;
  private static final int MAX_HOLDER_BYTES = 512;

  private final PrefixPaths paths;
  private final String holder;
  private final Duration patience;

  /** @param holder lock owner, shown to others on time-out, such as the node's name */
  PrefixLock(PrefixPaths paths, String holder, Duration patience) {
    this.paths = paths;
    this.holder = holder.replaceAll("\\p{Cntrl}", " ");
    this.patience = patience;
  }

  /**
   * Runs the work under the exclusive lock. Not reentrant.
   *
   * @throws ScrException {@link Fault#BUSY} naming the holder on time-out; IO; what the
   *     work throws
   */
  <T> T with(Supplier<T> work) {
    long deadlineNs = System.nanoTime() + patience.toNanos();
    if (!Files.isDirectory(paths.scr())) {
      PrefixDirectories.createDurably(paths.prefix(), paths.scr());
    }
    Path file = paths.indexLock();
    Semaphore turn = TURNS.computeIfAbsent(real(file), _ -> new Semaphore(1, true));
    try {
      if (!turn.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw busy("another thread of this process");
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    try {
      return withFile(file, deadlineNs, work);
    } finally {
      turn.release();
    }
  }

  private <T> T withFile(Path file, long deadlineNs, Supplier<T> work) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      FileLock lock = channel.tryLock();
      while (lock == null) {
        if (System.nanoTime() - deadlineNs > 0) {
          throw busy(content(channel));
        }
        Thread.sleep(RETRY_MS);                           // polls a lock of another process
        lock = channel.tryLock();
      }
      name(channel);
      return work.get();
    } catch (IOException e) {
      throw Faults.io(file, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void name(FileChannel channel) throws IOException {
    String line = holder + " (process " + ProcessHandle.current().pid() + ") since "
        + LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS) + "\n";
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    channel.truncate(0);
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
  }

  private static String content(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_HOLDER_BYTES);
    channel.read(bytes, 0);
    String holder = StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip();
    return holder.isEmpty() ? "a process that has not written its name" : holder;
  }

  private ScrException busy(String by) {
    return new ScrException(Fault.BUSY, paths.indexLock() + " is held by " + by + "; gave up after "
        + patience.toMillis() + " ms");
  }

  private ScrException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ScrException(Fault.STOPPING, "interrupted while waiting for " + paths.indexLock(), e);
  }

  private static Path real(Path file) {
    try {
      return file.getParent().toRealPath().resolve(file.getFileName());
    } catch (IOException e) {
      throw Faults.io(file, e);
    }
  }
}
