package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a daemon killed during the flush of a large file resumes from the durable extents. Method: a file of three
 * extents, one writer at a limited rate; SIGKILL when the first extent is marked.
 */
class KillAmidFlushIT {
  private static final int EXTENT_BYTES = 64 << 20;
  private static final int BYTES = 2 * EXTENT_BYTES + 1_000_000;
  private static final int PIECE_BYTES = 1 << 20;
  private static final int RECORD_BYTES = 12;

  @Test
  void aLargeFileIsGoneOnWithAfterTheLastExtentThatIsDurable() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_WIDTH", "1", "SCR_FLUSH_ASYNC_BW", "80MB"))) {
      Path place = cluster.prefix().resolve("large");
      var run = new SocketRun(cluster.prefix(), List.of(cluster.start("a").socket()));
      int crc = EmbeddedRun.all(run.start(scr -> checkpoint(scr, place))).getFirst();

      Eventually.holds("the first extent is durable", () -> records(cluster.prefix()) >= 1);
      cluster.kill("a");
      assertThat(records(cluster.prefix())).isLessThan(3);
      assertThat(new PrefixPaths(cluster.prefix()).summary(1)).doesNotExist();
      Object inode = Files.getAttribute(only(cluster.prefix(), "draft").orElseThrow(), "unix:ino");

      DaemonProcess again = cluster.start("a");
      try {
        Eventually.holds("it is flushed", () -> Files.exists(new PrefixPaths(cluster.prefix()).summary(1)));
      } catch (AssertionError e) {
        throw new AssertionError(again.output(), e);
      }
      assertThat(Files.getAttribute(place, "unix:ino")).isEqualTo(inode);
      assertThat(again.writtenBytes()).as("less than the whole").isLessThan(BYTES);
      assertThat(FileChecks.crc(place)).isEqualTo(crc);
      Eventually.holds("it is listed", () ->
          CliRun.of(Map.of(), "index", "--list", "--prefix", cluster.prefix()).out().contains("large"));
      assertThat(CliRun.of(Map.of(), "index", "--verify", "--prefix", cluster.prefix()).out())
          .isEqualTo("dataset 1 'large': good, 1 file, 135.2 MB\n");
    }
  }

  /** Returns the number of durable extents. */
  private static long records(Path prefix) throws IOException {
    Optional<Path> marks = only(prefix, "marks");
    return marks.isEmpty() ? 0 : (Files.size(marks.get()) - header(marks.get())) / RECORD_BYTES;
  }

  /** The hidden file of that kind; its name tells the dataset and the writer. */
  private static Optional<Path> only(Path prefix, String kind) throws IOException {
    try (Stream<Path> files = Files.list(prefix)) {
      return files.filter(file -> file.getFileName().toString().startsWith(".large.scr-" + kind + "-")).findFirst();
    }
  }

  private static long header(Path marks) throws IOException {
    byte[] begin = Arrays.copyOf(Files.readAllBytes(marks), 8);
    return 12 + ByteBuffer.wrap(begin).getInt(4);
  }

  /** The checksum of what it wrote. */
  private static int checkpoint(Scr scr, Path place) throws IOException {
    try (Output output = scr.startCheckpoint("large")) {
      Path file = output.route(place.toString());
      byte[] piece = new byte[PIECE_BYTES];
      try (var out = Files.newOutputStream(file)) {
        Random random = new Random(1);
        for (int left = BYTES; left > 0; left -= piece.length) {
          random.nextBytes(piece);
          out.write(piece, 0, Math.min(left, piece.length));
        }
      }
      int crc = FileChecks.crc(file);
      output.complete(true);
      return crc;
    }
  }
}
