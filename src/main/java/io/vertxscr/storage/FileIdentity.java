package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What tells whether a file is the one that it was, and that nobody has written to it since.
 *
 * <p>The time of change cannot be set by programs. It grows with each write, but in steps of the kernel's clock, or of
 * the file system's: two writes within a step leave the same. So it tells only of a file that has been left alone for
 * longer than a step ({@link #isSettled}).
 *
 * @param modified by the last write, or as somebody has set it
 * @param changed by the last write, or change of its attributes
 */
public record FileIdentity(long device, long inode, long bytes, FileTime modified, FileTime changed) {
  /** Longer than a tick of any kernel. */
  private static final Duration TICK = Duration.ofMillis(20);
  /** Longer than a step of file systems that count whole seconds, or two. */
  private static final Duration COARSE = Duration.ofSeconds(3);
  private static final int NANOS_PER_MS = 1_000_000;
  /** An odd number with its bits well spread: that of the golden ratio. */
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  /** That of a regular file; empty where there is none, or its file system does not tell. */
  public static Optional<FileIdentity> of(Path file) {
    try {
      Map<String, Object> found = Files.readAttributes(
          file, "unix:dev,ino,size,lastModifiedTime,ctime,isRegularFile", LinkOption.NOFOLLOW_LINKS);
      return Boolean.TRUE.equals(found.get("isRegularFile")) ? Optional.of(new FileIdentity(
          ((Number) found.get("dev")).longValue(), ((Number) found.get("ino")).longValue(),
          ((Number) found.get("size")).longValue(), (FileTime) found.get("lastModifiedTime"),
          (FileTime) found.get("ctime"))) : Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Whether a write from now on would change the times. @param now by the clock of the file system */
  public boolean isSettled(Instant now) {
    boolean coarse = changed.toInstant().getNano() % NANOS_PER_MS == 0;
    return changed.toInstant().plus(coarse ? COARSE : TICK).isBefore(now);
  }

  /** A number that differs for other identities, and other orders of them, but by chance of 2^-64. */
  public long mixedInto(long others) {
    long all = others;
    for (long part : new long[] {device, inode, bytes, modified.to(TimeUnit.NANOSECONDS),
        changed.to(TimeUnit.NANOSECONDS)}) {
      all = Long.rotateLeft((all ^ part) * SPREAD, 29);
      all ^= all >>> 32;
    }
    return all;
  }
}
