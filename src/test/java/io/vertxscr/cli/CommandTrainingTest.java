package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the commands of the training run for the class cache all work; the run is hidden from users. */
class CommandTrainingTest {
  @TempDir
  private Path directory;

  @Test
  void everyRehearsedCommandSucceedsWhateverTheEnvironmentSays() {
    Path relative = Path.of("").toAbsolutePath().relativize(directory.toAbsolutePath());
    assertThat(CliRun.of(Map.of("SCR_PREFIX", "/nowhere", "SCR_COPY_TYPE", "RS"), "rehearse", "--rounds", "1",
        relative)).isEqualTo(new CliRun(0, "", ""));
  }

  @Test
  void neitherHelpNorHintsNameIt() {
    assertThat(CliRun.of(Map.of(), "help").out()).contains("index").doesNotContain("rehearse");
    assertThat(CliRun.of(Map.of(), "rehears").err()).contains("no command 'rehears'").doesNotContain("rehearse");
    assertThat(CliRun.of(Map.of()).err()).contains("index").doesNotContain("rehearse");
  }
}
