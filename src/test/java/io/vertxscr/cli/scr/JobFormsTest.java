package io.vertxscr.cli.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Halt;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: what SCR's commands about jobs read and print has SCR's form. */
class JobFormsTest {
  @Test
  void timesOfHaltConditionsAreShownAsScrShowsThem() {
    Halt halt = new Halt(OptionalInt.empty(), Optional.empty(), OptionalLong.of(1_795_176_000),
        OptionalLong.of(1_796_083_265), OptionalLong.of(65), Optional.of("TIME_LIMIT"), false);
    assertThat(HaltForm.lines(Path.of("f"), halt, ZoneId.of("UTC"))).containsExactly("Halt file settings for f:",
        "  ExitReason:      TIME_LIMIT", "  ExitAfter:       Fri Nov 20 12:00:00 2026",
        "  ExitBefore:      Tue Dec  1 00:01:05 2026", "  HaltSeconds:     65",
        "  ExitBefore - HaltSeconds: Tue Dec  1 00:00:00 2026");
  }

  @Test
  void theCommandsOfALauncherLineAreFoundWhereverTheyStand() {
    assertThat(LauncherLine.parse(List.of("srun", "-n", "4", "./a", "-x")))
        .returns(List.of("srun", "-n", "4", "./a", "-x"), LauncherLine::first)
        .returns(Optional.empty(), LauncherLine::again);
    for (List<String> line : List.of(List.of("srun", "-n4", "-rc", "./a b", "-rs", "./r SCR_CKPT_NAME"),
        List.of("srun", "--restart-cmd=./r SCR_CKPT_NAME", "-n4", "--run-cmd=./a b"))) {
      assertThat(LauncherLine.parse(line)).returns(List.of("srun", "-n4", "./a", "b"), LauncherLine::first)
          .returns(Optional.of(List.of("srun", "-n4", "./r", "SCR_CKPT_NAME")), LauncherLine::again);
    }
  }
}
