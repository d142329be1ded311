package io.vertxscr.prefix.metadata;

import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/**
 * {@code <prefix>/.scr/index.lock}: lock for replacing a shared file of the prefix directory. Its content is a line
 * with the current or last owner; the lock itself is the operating system's and ends with the process.
 *
 * <p>Does not wait: an attempt succeeds or fails at once, and its {@link LockUser} decides what follows. Within one
 * process (several nodes may live in one) the turns are taken by way of {@link LocalFiles#hold}, before the file is
 * opened.
 */
final class PrefixLock {
  private static final int MAX_HOLDER_BYTES = 512;

  private final PrefixPaths paths;
  private final LockUser user;

  PrefixLock(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.user = user;
  }

  /**
   * Runs the work under the exclusive lock. Not reentrant.
   *
   * @throws LockHeldException or what else the user's waiting ends with, if the lock is not to be had
   * @throws ScrException IO; what the work throws
   */
  <T> T with(Supplier<T> work) {
    if (!Files.isDirectory(paths.scr())) {
      PrefixDirectories.createDurably(paths.prefix(), paths.scr());
    }
    Path file = LocalFiles.real(paths.indexLock());
    for (int tries = 1; ; tries++) {
      Attempt<T> attempt = attempt(file, work);
      if (attempt.refused == null) {
        return attempt.result;
      }
      user.waiting().after(attempt.refused, tries);
    }
  }

  /** What an attempt has come to. @param refused null where the work was done */
  private record Attempt<T>(T result, LockHeldException refused) {}

  private <T> Attempt<T> attempt(Path file, Supplier<T> work) {
    if (!user.files().hold(file)) {
      return heldBy("another thread of this process");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      if (!isLocked(channel)) {
        return heldBy(content(channel));
      }
      name(channel);
      return new Attempt<>(work.get(), null);
    } catch (IOException e) {
      throw Faults.io(file, e);
    } finally {
      user.files().release(file);
    }
  }

  private <T> Attempt<T> heldBy(String holder) {
    return new Attempt<>(null, new LockHeldException(paths.indexLock(), holder));
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false;                                       // by another part of this process, with LocalFiles of its own
    }
  }

  private void name(FileChannel channel) throws IOException {
    String line = user.holder() + " (process " + ProcessHandle.current().pid() + ") since "
        + LocalDateTime.now(user.clock()).truncatedTo(ChronoUnit.SECONDS) + "\n";
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
}
