package io.vertxscr.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.demo.RankLauncher.End;
import io.vertxscr.demo.RankLauncher.Running;
import io.vertxscr.examples.heat.FinalField;
import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatMain;
import io.vertxscr.examples.heat.HeatOptions;
import io.vertxscr.examples.heat.HeatProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: ranks as real processes report their events, end, and are reported when killed. */
class ProcessLauncherTest {
  private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  @TempDir private Path directory;
  private final LinkedBlockingQueue<HeatEvent> events = new LinkedBlockingQueue<>();

  @Test
  void twoProcessesComputeOneField() throws Exception {
    Running upper = launch(0, 3);
    Running lower = launch(1, 3);
    assertThat(end(upper)).isEqualTo(new End(0, Optional.empty()));
    assertThat(end(lower)).isEqualTo(new End(1, Optional.empty()));
    assertThat(events).hasSize(4);
    assertThat(FinalField.open(directory.resolve("output"), 64).digest()).hasSize(64);
  }

  @Test
  void aKilledProcessIsMissedByItsNeighbour() throws Exception {
    Running upper = launch(0, Integer.MAX_VALUE);
    Running lower = launch(1, Integer.MAX_VALUE);
    assertThat(events.poll(30, TimeUnit.SECONDS)).isInstanceOf(HeatEvent.Started.class);
    assertThat(events.poll(30, TimeUnit.SECONDS)).isInstanceOf(HeatEvent.Started.class);
    lower.kill();
    assertThat(end(lower).failure()).hasValueSatisfying(text -> assertThat(text).startsWith("exit code 137"));
    assertThat(end(upper).failure()).hasValueSatisfying(
        text -> assertThat(text).startsWith("exit code " + HeatMain.EXIT_LOST).contains("neighbour rank 1"));
  }

  @Test
  void aProcessThatCannotBeginSaysWhy() throws Exception {
    RankLauncher launcher = new ProcessLauncher(List.of(JAVA, "-cp", "nowhere", "Nothing"), Path::of, directory);
    Running running = launcher.launch(options(0, 3), Optional.of("node0"), events::add);
    assertThat(end(running).failure()).hasValueSatisfying(text -> assertThat(text).startsWith("exit code 1: "));
  }

  private Running launch(int rank, int steps) {
    List<String> command = List.of(JAVA, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
        System.getProperty("java.class.path"), HeatMain.class.getName());
    return new ProcessLauncher(command, Path::of, directory)
        .launch(options(rank, steps), Optional.empty(), events::add);
  }

  private HeatOptions options(int rank, int steps) {
    return new HeatOptions(rank, 2, new HeatProblem(64, steps, 0), "127.0.0.1", directory.resolve("rendezvous"),
        directory.resolve("output"), 30_000);
  }

  private static End end(Running running) throws Exception {
    CompletableFuture<End> ended = running.ended();
    try {
      return ended.get(30, TimeUnit.SECONDS);
    } finally {
      running.kill();
    }
  }
}
