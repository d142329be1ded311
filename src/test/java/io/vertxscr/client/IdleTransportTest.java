package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetFlags;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: with SCR switched off a program runs as it is, on its own files, with no daemon anywhere. */
class IdleTransportTest {
  @Test
  void everyCallSucceedsAndFilesAreWhereTheProgramCallsThem() {
    try (Scr scr = Scr.open(ScrOptions.of(Map.of("SCR_ENABLE", "0")))) {
      assertThat(scr.restart()).isEmpty();
      for (String name : new String[] {"a", "b"}) {
        try (Output output = scr.startOutput(name, DatasetFlags.CHECKPOINT_AND_OUTPUT)) {
          assertThat(output.route("ckpt/x")).isEqualTo(Path.of("ckpt/x").toAbsolutePath());
          assertThat(output.route("/data/../y")).isEqualTo(Path.of("/y"));
          output.complete(true);
        }
      }
      scr.finish();
    }
  }

  @Test
  void theEnvironmentDecidesAndElseTheLastCallOfTheApplication() {
    ScrOptions plain = new ScrOptions(Path.of("/s"), 0, 1, Path.of("/p"), "");
    ScrOptions on = ScrOptions.of(Map.of("SCR_ENABLE", "1", "SCR_SOCKET", "/s", "SCR_RANK", "0", "SCR_RANKS", "1",
        "SCR_PREFIX", "/p"));

    assertThat(plain.enabled()).isTrue();
    assertThat(plain.config("SCR_ENABLE=0").enabled()).isFalse();
    assertThat(plain.config("SCR_ENABLE=0").config("SCR_ENABLE=1").config("SCR_FLUSH=0").enabled()).isTrue();
    assertThat(on.config("SCR_ENABLE=0").enabled()).isTrue();
    assertThat(Scr.config(plain.config("SCR_ENABLE=0"), "SCR_FLUSH")).isEmpty();
  }
}
