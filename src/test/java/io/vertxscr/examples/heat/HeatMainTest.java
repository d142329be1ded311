package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the arguments reach the rank, and the exit code tells a script what to do next. */
class HeatMainTest {
  @TempDir private Path directory;

  @Test
  void aRunToTheEndExitsWithZero() throws Exception {
    assertThat(run("--rank", "0", "--ranks", "1", "--image", directory.resolve("final.png").toString())).isZero();
    assertThat(FinalField.open(directory.resolve("output"), 16).digest()).hasSize(64);
    assertThat(directory.resolve("final.png")).isNotEmptyFile();
  }

  @Test
  void aLostNeighbourExitsWithThree() {
    assertThat(run("--rank", "0", "--ranks", "2", "--timeout-ms", "50")).isEqualTo(HeatMain.EXIT_LOST);
  }

  @Test
  void aLostCheckpointSystemExitsWithThree() {
    assertThat(run("--rank", "0", "--ranks", "1", "--socket", "/none")).isEqualTo(HeatMain.EXIT_LOST);
  }

  @Test
  void anOutputThatCannotBeWrittenExitsWithOne() throws Exception {
    Files.createFile(directory.resolve("output"));
    assertThat(run("--rank", "0", "--ranks", "1")).isEqualTo(1);
  }

  @Test
  void argumentsThatMakeNoSenseExitWithTwo() {
    assertThat(run("--rank", "2", "--ranks", "2")).isEqualTo(2);
    assertThat(run("--rank", "0", "--ranks", "17")).isEqualTo(2);
    assertThat(run("--rank", "0", "--ranks", "1", "--colour", "red")).isEqualTo(2);
    assertThat(run("--rank", "0", "--ranks", "1", "--timeout-ms", "0")).isEqualTo(2);
    assertThat(run("--ranks", "1")).isEqualTo(2);
  }

  @Test
  void everyEventSurvivesItsLineAndOtherLinesAreNone() {
    for (long number : new long[] {0, 1, 999_999_999_999L}) {
      for (HeatEvent event : List.of(new HeatEvent.Started(3, 7, number),
          new HeatEvent.Checkpointed(3, 7, number, number), new HeatEvent.Finished(3, 7, number, number))) {
        assertThat(HeatEvent.parse(event.line())).contains(event);
        assertThat(HeatEvent.parse(event.line() + " ")).isEmpty();
        assertThat(HeatEvent.parse(event.line().substring(1))).isEmpty();
      }
    }
    assertThat(HeatEvent.parse("")).isEmpty();
    assertThat(HeatEvent.parse("heat started rank=-1 step=0 bytes=0 nanos=0")).isEqualTo(Optional.empty());
  }

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--size", "16", "--steps", "3", "--rendezvous",
        directory.resolve("rendezvous").toString(), "--output", directory.resolve("output").toString()));
    all.addAll(List.of(arguments));
    return HeatMain.execute(all.toArray(String[]::new), (_, socket, _) -> {
      throw new ScrException(Fault.NODE_LOST, "nobody listens on " + socket);
    });
  }
}
