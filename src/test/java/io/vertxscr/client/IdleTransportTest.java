package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: with SCR switched off a program runs as it is, on its own files, with no daemon anywhere. */
class IdleTransportTest {
  @TempDir
  Path directory;

  @Test
  void everyCallSucceedsAndFilesAreWhereTheProgramCallsThem() {
    try (Scr scr = Scr.open(ScrOptions.of(Map.of("SCR_ENABLE", "0")))) {
      assertThat(scr.restart()).isEmpty();
      for (String name : new String[] {"a", "b"}) {
        try (Output output = scr.startOutput(name, DatasetFlags.CHECKPOINT_AND_OUTPUT)) {
          Path file = directory.resolve(name).resolve("ckpt/x");
          assertThat(output.route(Path.of("").toAbsolutePath().relativize(file).toString())).isEqualTo(file);
          assertThat(file.getParent()).isEmptyDirectory();
          assertThat(output.route("/data/../y")).isEqualTo(Path.of("/y"));
          output.complete(true);
        }
      }
      assertThat(scr.route(directory + "/outside/./x")).hasToString(directory + "/outside/./x");
      assertThat(directory.resolve("outside")).doesNotExist();
      scr.finish();
    }
  }

  @Test
  void aDirectoryThatCannotBeMadeIsIo() throws IOException {
    Files.createFile(directory.resolve("file"));
    try (Scr scr = Scr.open(ScrOptions.of(Map.of("SCR_ENABLE", "0")));
        Output output = scr.startOutput("a", DatasetFlags.OUTPUT)) {
      assertThatThrownBy(() -> output.route(directory + "/file/x")).hasMessageContaining(directory + "/file")
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO));
    }
  }

  @Test
  void theEnvironmentDecidesAndElseTheLastCallOfTheApplication() {
    ScrOptions plain = new ScrOptions(Path.of("/s"), 0, 1, Path.of("/p"), "");
    ScrOptions on = ScrOptions.of(Map.of("SCR_ENABLE", "1", "SCR_SOCKET", "/s", "SCR_RANK", "0", "SCR_RANKS", "1",
        "SCR_PREFIX", "/p"));

    assertThat(plain.enabled()).isTrue();
    assertThat(plain.config("SCR_ENABLE=0").enabled()).isFalse();
    assertThat(ScrOptions.of(Map.of("SCR_ENABLE", "", "SCR_SOCKET", "/s", "SCR_RANK", "0", "SCR_RANKS", "1"))
        .config("SCR_ENABLE=0").enabled()).isFalse();
    assertThat(plain.config("SCR_ENABLE=0").config("SCR_ENABLE=1").config("SCR_FLUSH=0").enabled()).isTrue();
    assertThat(on.config("SCR_ENABLE=0").enabled()).isTrue();
    assertThat(Scr.config(plain.config("SCR_ENABLE=0"), "SCR_FLUSH")).isEmpty();
  }
}
