package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: nobody takes an old line of a log for the reason of a kill. Method: every exit code. */
@Execution(ExecutionMode.CONCURRENT)
class DaemonEndTest {
  @Test
  void theLastLineIsToldOnlyWhereTheDaemonHasFailedByItself() {
    for (int code = 0; code < 256; code++) {
      String words = DaemonEnd.words(OptionalInt.of(code), "no space");
      if (code > 128 && code <= 192) {
        assertThat(words).isEqualTo("was killed by signal " + (code - 128));
      } else {
        assertThat(words).isEqualTo("has ended with exit code " + code + (code == 0 ? "" : ": no space"));
      }
      assertThat(DaemonEnd.words(OptionalInt.of(code), "")).isEqualTo(words.replace(": no space", ""));
    }
    assertThat(DaemonEnd.words(OptionalInt.empty(), "no space")).isEqualTo("can no longer be heard");
  }

  @Test
  void theReasonIsTheLastLineOfTheLogThatIsNotBlank(@TempDir Path directory) throws Exception {
    Process ended = new ProcessBuilder("sh", "-c", "exit 3").start();
    Path log = directory.resolve("n1.log");
    assertThat(DaemonEnd.of(ended, log)).isEqualTo("has ended with exit code 3 (log " + log + ")");
    Files.writeString(log, "begins\nno space\n\n");
    assertThat(DaemonEnd.of(ended, log)).isEqualTo("has ended with exit code 3: no space (log " + log + ")");
  }
}
