package io.vertxscr.storage;

import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What tells whether a file is the one that it was, and that nobody has written to it since.
 *
 * <p>The time of change cannot be set by programs. It grows with each write, but in steps of the kernel's clock, or of
 * the file system's: two writes within a step leave the same. So it tells only of a file that has been left alone for
 * longer than a step ({@link #isSettled}), or where each write after a look gets a time of its own
 * ({@link WriteTimes}).
 *
 * @param mode who may read, write and execute it: the last nine bits of a file's mode
 */
public record FileIdentity(Seal seal, int mode) {
  /** Longer than a tick of any kernel. */
  private static final Duration TICK = Duration.ofMillis(20);
  /** Longer than a step of file systems that count whole seconds, or two. */
  private static final Duration COARSE = Duration.ofSeconds(3);
  private static final int NANOS_PER_MS = 1_000_000;

  /** That of a regular file; empty where there is none, or nobody can tell. */
  public static Optional<FileIdentity> of(Path file) {
    try {
      return look(file);
    } catch (ScrException _) {
      return Optional.empty();
    }
  }

  /** The same where an error is not to be taken for a file that is not there. @throws ScrException IO */
  public static Optional<FileIdentity> look(Path file) {
    try {
      Map<String, Object> found = Files.readAttributes(
          file, "unix:dev,ino,size,lastModifiedTime,ctime,mode,isRegularFile", LinkOption.NOFOLLOW_LINKS);
      return Boolean.TRUE.equals(found.get("isRegularFile")) ? Optional.of(of(found)) : Optional.empty();
    } catch (NoSuchFileException | UnsupportedOperationException | IllegalArgumentException _) {
      return Optional.empty();
    } catch (IOException e) {
      if (Presence.isFile(file)) {
        throw Faults.io(file, e);
      }
      return Optional.empty();
    }
  }

  private static FileIdentity of(Map<String, Object> found) {
    Instant modified = ((FileTime) found.get("lastModifiedTime")).toInstant();
    Instant changed = ((FileTime) found.get("ctime")).toInstant();
    return new FileIdentity(new Seal(number(found, "dev"), number(found, "ino"), number(found, "size"),
        modified.getEpochSecond(), modified.getNano(), changed.getEpochSecond(), changed.getNano()),
        (int) number(found, "mode") & Stamp.MODE_BITS);
  }

  private static long number(Map<String, Object> found, String name) {
    return ((Number) found.get(name)).longValue();
  }

  /** Its mode and time, which copies of it get. */
  public Stamp stamp() {
    return new Stamp(mode, seal.modifiedSeconds(), seal.modifiedNanos());
  }

  /** When its bytes or attributes changed last. */
  public Instant changed() {
    return Instant.ofEpochSecond(seal.changedSeconds(), seal.changedNanos());
  }

  /** Whether a write from now on would change the times. @param now by the clock of the file system */
  public boolean isSettled(Instant now) {
    boolean coarse = seal.changedNanos() % NANOS_PER_MS == 0;
    return changed().plus(coarse ? COARSE : TICK).isBefore(now);
  }
}
