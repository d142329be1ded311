package io.vertxscr.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Finds out whether each write that follows a look at a file gets a time of its own. Linux does so from 6.13 on, for
 * tmpfs, ext4, xfs and btrfs (Documentation/filesystems/multigrain-ts.rst). Elsewhere times are of the kernel's last
 * tick. Blocking.
 */
final class WriteTimes {
  /** Two ticks are farther apart: no kernel has more than 1000 in a second. */
  private static final Duration WITHIN_A_TICK = Duration.ofNanos(500_000);
  /** So many writes in one tick, each with a time of its own, are no accident. */
  private static final int NEEDED = 3;
  private static final int MOST_WRITES = 20;

  private WriteTimes() {}

  /** Whether they are, by a try in this directory; not where that cannot be found out. */
  static boolean areExact(Path directory) {
    Path probe = directory.resolve(".times");
    try {
      try (FileChannel channel = OwnFile.write(probe)) {
        return areExact(channel, probe);
      } finally {
        Files.deleteIfExists(probe);
      }
    } catch (IOException _) {
      return false;
    }
  }

  private static boolean areExact(FileChannel channel, Path probe) throws IOException {
    int together = 0;
    Optional<Instant> before = Optional.empty();
    for (int i = 0; i < MOST_WRITES && together < NEEDED; i++) {
      channel.write(ByteBuffer.allocate(1), 0);
      Optional<Instant> after = FileIdentity.of(probe).map(FileIdentity::changed);
      if (after.isEmpty() || after.equals(before)) {
        return false;
      }
      boolean isTogether = before.isPresent() && before.get().isBefore(after.get())
          && after.get().isBefore(before.get().plus(WITHIN_A_TICK));
      together += isTogether ? 1 : 0;
      before = after;
    }
    return together >= NEEDED;
  }
}
