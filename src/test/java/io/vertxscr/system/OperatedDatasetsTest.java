package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import java.io.IOException;
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
        .contains("'same' means several datasets: give the number of one: 2 of " + prefix + ", 1 of " + prefix);
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
}
