package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: who drains a node reads what has become of it. Method: daemons in this process, without data. */
@Timeout(120)
class DrainCommandTest {
  @TempDir
  private Path directory;

  @Test
  void whatIsTakenBackDoesNotReadLikeARefusal() throws Exception {
    try (DaemonsHere daemons = new DaemonsHere(directory, 2)) {
      CliRun drained = CliRun.of(daemons.environment(0), "drain", "n1");
      assertThat(drained).as(drained.toString()).returns(0, CliRun::exit);
      assertThat(drained.out()).endsWith("n1: drained\n");
      assertThat(CliRun.of(daemons.environment(0), "drain", "--cancel", "n1"))
          .isEqualTo(new CliRun(0, "n1: takes runs and data again\n", ""));
    }
  }
}
