package io.vertxscr.prefix.metadata;

import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A lock file of the prefix directory. The lock itself is the operating system's and ends with the process. Who acts
 * for a leader does nothing under it unless its token is the newest ({@link PrefixFence}).
 * <pre>
 *   .scr/index.lock     exclusive: every change of a shared file, seal, removal, takeover
 *   .scr/leader.lock    shared: nodes give names to files; exclusive: takeover
 *   .scr/trial.lock     shared: a leader that takes over; exclusive, tried only: the other nodes ({@link LockTrial})
 * </pre>
 * The content of {@code index.lock} is a line with the current or last owner.
 *
 * <p>Does not wait: an attempt succeeds or fails at once, and its {@link LockUser} decides what follows. Within one
 * process (several nodes may live in one) the turns are taken by way of {@link LocalFiles#hold}, before the file is
 * opened.
 */
class PrefixLock {
  private static final int MAX_HOLDER_BYTES = 512;
  /** A line of a holder, from its begin to its end, with what pads it. */
  private static final Pattern HOLDER =
      Pattern.compile("[^\\p{Cntrl}]+ \\(process [0-9]+\\) since [0-9T:.-]+ *\\n?");

  private final PrefixPaths paths;
  private final LockUser user;
  private final Path file;
  private final boolean shared;

  PrefixLock(PrefixPaths paths, LockUser user) {
    this(paths, user, paths.indexLock(), false);
  }

  private PrefixLock(PrefixPaths paths, LockUser user, Path file, boolean shared) {
    this.paths = paths;
    this.user = user;
    this.file = file;
    this.shared = shared;
  }

  /** For names that nodes give to files, each under the token of its leader. */
  static PrefixLock ofNames(PrefixPaths paths, LockUser user) {
    return new PrefixLock(paths, user, paths.leaderLock(), true);
  }

  /** The same user's, against names. */
  PrefixLock againstNames() {
    return againstNames(paths, user);
  }

  /** Excludes all that hold {@link #ofNames}. */
  static PrefixLock againstNames(PrefixPaths paths, LockUser user) {
    return new PrefixLock(paths, user, paths.leaderLock(), false);
  }

  /**
   * Runs the work under the lock. Not reentrant.
   *
   * @throws ScrException TAKEN_OVER if the user's token is not the newest: nothing was done
   * @throws LockHeldException or what else the user's waiting ends with, if the lock is not to be had
   * @throws ScrException IO; what the work throws
   */
  <T> T with(Supplier<T> work) {
    Path real = real(paths, file);
    for (int tries = 1; ; tries++) {
      Attempt<T> attempt = attempt(real, work);
      if (attempt.refused == null) {
        return attempt.result;
      }
      user.waiting().after(attempt.refused, tries);
    }
  }

  /** The one name of a lock file, whose directory is made where it is missing. */
  static Path real(PrefixPaths paths, Path file) {
    MetadataFiles.requireOwnDirectories(file);
    if (!Files.isDirectory(paths.scr())) {
      PrefixDirectories.createDurably(paths.prefix(), paths.scr());
    }
    return LocalFiles.real(file);
  }

  /** What an attempt has come to. @param refused null where the work was done */
  private record Attempt<T>(T result, LockHeldException refused) {}

  /** What a {@link LockTrial} holds, tried by another node. */
  static PrefixLock ofTrial(PrefixPaths paths, LockUser user) {
    return new PrefixLock(paths, user, paths.trialLock(), false);
  }

  /** For who has it already: runs the work. */
  PrefixLock held() {
    return new PrefixLock(paths, user, file, shared) {
      @Override
      <T> T with(Supplier<T> work) {
        return work.get();
      }
    };
  }

  private <T> Attempt<T> attempt(Path real, Supplier<T> work) {
    return shared ? sharedAttempt(real, work) : exclusiveAttempt(real, work);
  }

  private <T> Attempt<T> sharedAttempt(Path real, Supplier<T> work) {
    if (!user.files().share(real)) {
      return heldBy("a leader that takes over");
    }
    try {
      return done(work);
    } finally {
      user.files().unshare(real);
    }
  }

  private <T> Attempt<T> done(Supplier<T> work) {
    user.token().ifPresent(token -> PrefixFence.require(paths, token));
    return new Attempt<>(work.get(), null);
  }

  private <T> Attempt<T> exclusiveAttempt(Path real, Supplier<T> work) {
    if (!user.files().hold(real)) {
      return heldBy("another thread of this process");
    }
    try (FileChannel channel = RegularFile.change(real)) {
      if (!isLocked(channel)) {
        return heldBy(holder(channel));
      }
      name(channel);
      return done(work);
    } catch (IOException e) {
      throw Faults.io(real, e);
    } finally {
      user.files().release(real);
    }
  }

  private <T> Attempt<T> heldBy(String holder) {
    return new Attempt<>(null, new LockHeldException(file, holder));
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false;                                       // by another part of this process, with LocalFiles of its own
    }
  }

  /**
   * Writes the owner over an earlier one. Never shortens the file, and leaves one alone that has anything else in it: a
   * name of somebody else's file may have been put in the lock's place.
   */
  private void name(FileChannel channel) throws IOException {
    String before = content(channel);
    if (!before.isEmpty() && !HOLDER.matcher(before).matches()) {
      return;
    }
    byte[] line = (user.holder() + " (process " + ProcessHandle.current().pid() + ") since "
        + LocalDateTime.now(user.clock()).truncatedTo(ChronoUnit.SECONDS)).getBytes(StandardCharsets.UTF_8);
    byte[] padded = Arrays.copyOf(line, (int) Math.max(line.length + 1, channel.size()));
    Arrays.fill(padded, line.length, padded.length, (byte) ' ');
    padded[padded.length - 1] = '\n';
    ByteBuffer bytes = ByteBuffer.wrap(padded);
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
  }

  private static String holder(FileChannel channel) throws IOException {
    String holder = content(channel).strip();
    return HOLDER.matcher(holder).matches() ? holder : "a process that has not written its name";
  }

  /** The text in front; only that is looked at. */
  private static String content(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_HOLDER_BYTES);
    channel.read(bytes, 0);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }
}
