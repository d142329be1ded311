package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.InitRequest;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an operator flushes and drops a dataset by commands, and no other one of its name. */
@Timeout(120)
class OperatedDatasetsTest {
  /** Fewer than may wait for their answers. */
  private static final int CALLS = 1000;

  @TempDir
  private Path directory;
  private DaemonsHere daemons;

  @BeforeEach
  void start() throws IOException {
    daemons = new DaemonsHere(directory, 2);
  }

  @AfterEach
  void stop() {
    daemons.close();
  }

  private CliRun scr(Object... words) {
    return CliRun.of(daemons.environment(1), new ArrayList<>(List.of(words)).toArray());
  }

  @Test
  void itIsFlushedFirstAndDroppedThen() throws Exception {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "same");
    daemons.checkpoint(prefix, "same");

    assertThat(scr("drop", "same").err())
        .contains("'same' means several datasets: give the number of one by --id: 2 of " + prefix + ", 1 of " + prefix);
    CliRun early = scr("drop", 2);
    assertThat(early.exit()).as(early.toString()).isEqualTo(1);
    assertThat(early.err()).contains("dataset 2 'same' is in no prefix directory",
        "with --unflushed it is deleted all the same; scr flush 2 brings it to " + prefix);
    CliRun flushed = scr("flush", 2);
    assertThat(flushed.exit()).as(flushed.toString()).isZero();
    assertThat(flushed.out()).endsWith("dataset 2 'same' is in " + prefix + "\n");
    assertThat(scr("index", "--list", "--prefix", prefix).out()).contains("same");
    assertThat(scr("flush", 2, "--no-wait").exit()).as("it is there").isZero();

    assertThat(scr("drop", 1, "--unflushed").out()).isEqualTo("dataset 1 'same' is dropped\n");
    assertThat(scr("index", "--list", "--prefix", prefix).out()).as("the other one").contains("same");
    assertThat(scr("drop", "same").out()).isEqualTo("dataset 2 'same' is dropped; restarts do not see its files in "
        + prefix + " any more, scr index --add 2 would list them again\n");
    assertThat(scr("index", "--list", "--prefix", prefix).out()).doesNotContain("same");
    assertThat(prefix.resolve("rank-1")).exists();
    CliRun gone = scr("drop", 2);
    assertThat(gone.exit()).isEqualTo(1);
    assertThat(gone.err()).contains("the caches have no dataset '2': scr status --all");
  }

  /** What a program has left in the caches stays for as long as nobody says what is to become of it. */
  @Test
  void itIsFlushedHoweverManyPrefixDirectoriesWereUsedSince() throws Exception {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "left");
    for (int first = 0; first < Limits.MAX_PREFIXES; first += CALLS) {
      callInit(first);
    }
    CliRun flushed = scr("flush", 1);
    assertThat(flushed.exit()).as(flushed.toString()).isZero();
    assertThat(flushed.out()).endsWith("dataset 1 'left' is in " + prefix + "\n");
  }

  /** A rank that waits for another one, and calls again and again with other directories; then it dies. */
  private void callInit(int first) throws IOException {
    try (SocketChannel rank = SocketChannel.open(UnixDomainSocketAddress.of(daemons.nodes.get(1).socket()))) {
      for (int i = first; i <= first + CALLS; i++) {
        InitRequest init = new InitRequest(i < first + CALLS ? 0 : 1, 2, "/others/" + i, "other");
        ByteBuffer frame = ByteBuffer.wrap(
            Frames.encode(Frames.send(Addresses.of("n1", Verb.INIT), "to " + i, Wire.write(init))));
        while (frame.hasRemaining()) {
          rank.write(frame);
        }
      }
      assertThat(rank.read(ByteBuffer.allocate(1))).as("the last call disagrees with the first").isEqualTo(1);
    }
  }

  @Test
  void theNumberOfOneThatIsTheNameOfAnotherIsToldApartByAnOption() throws Exception {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "2");
    daemons.checkpoint(prefix, "two");
    assertThat(scr("drop", 2, "--unflushed").err()).contains("'2' means several datasets", "--id");
    assertThat(scr("drop", 1, "--id", 2).exit()).as("one of them").isEqualTo(2);
    assertThat(scr("drop", "--id", 2, "--unflushed").out()).isEqualTo("dataset 2 'two' is dropped\n");
    assertThat(scr("flush", "--id", 2).err()).contains("the caches have no dataset '2'");
    assertThat(scr("flush", 2).out()).endsWith("dataset 1 '2' is in " + prefix + "\n");
  }
}
