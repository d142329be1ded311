package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.system.ShortLife;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code bin/scr drill} as a process. Closing it ends it. */
public record DrillProcess(Process process, Path out, Path err) implements AutoCloseable {
  private static final int PATIENCE_S = 120;
  private static final int LAST_MOMENTS_S = 20;

  /** @param directory of its output, and of {@link #scratch} */
  public static DrillProcess start(Path directory, String... words) throws IOException {
    Path out = Files.createTempFile(directory, "drill", ".out");
    Path err = Files.createTempFile(directory, "drill", ".err");
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("scr.home")).resolve("bin/scr").toString(), "drill"));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SCR_"));
    builder.environment().put("SCR_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SCR_AOT", "0");
    builder.environment().put("SCR_JAVA_OPTIONS",
        ShortLife.javaOptions() + " -Djava.io.tmpdir=" + scratch(directory));
    return new DrillProcess(builder.start(), out, err);
  }

  /** Temporary directory of those that are started for this directory; short, since sockets are below it. */
  static Path scratch(Path directory) throws IOException {
    return Files.createDirectories(directory.resolve("t"));
  }

  /** Waits for its end; returns the exit code. */
  public int exit() throws IOException, InterruptedException {
    assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS)).as("ended: " + errors()).isTrue();
    return process.exitValue();
  }

  public String output() throws IOException {
    return Files.readString(out);
  }

  public String errors() throws IOException {
    return Files.readString(err);
  }

  /** Waits until that is among its messages. */
  public void untilItSays(String words) throws Exception {
    Eventually.holds(words, PATIENCE_S, () -> {
      assertThat(process.isAlive()).as(errors()).isTrue();
      return errors().contains(words);
    });
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().completeOnTimeout(process, LAST_MOMENTS_S, TimeUnit.SECONDS).join().destroyForcibly();
  }
}
