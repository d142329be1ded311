package io.vertxscr.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.system.ShortLife;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: {@code bin/scr demo} works on real nodes, in one process and in many. After a fatal loss it reports that, with
 * an exit code other than 0. Other losses and schemes: EmbeddedDemoTest.
 */
class DemoIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home"));
  private static final int PATIENCE_S = 240;

  @TempDir
  private Path directory;

  private record Ran(int exit, String out) {}

  @ParameterizedTest
  @CsvSource({"--scheme=XOR", "--processes"})
  void aNodeIsLostAndTheResultIsIdentical(String mode) throws Exception {
    Ran ran = demo(mode, "--flush=2");

    assertThat(ran.exit()).as(ran.out()).isZero();
    assertThat(ran.out()).contains("killing node2", "restarted from checkpoint heat.", "GB/s", "flushed: ");
    assertThat(ran.out().lines().toList().getLast()).endsWith("  identical");
    Path out = directory.resolve("out");
    assertThat(out.resolve("final.png")).isNotEmptyFile();
    assertThat(out.resolve("prefix/heat.60/rank_7.heat")).isNotEmptyFile();
    assertThat(out.resolve("prefix/.scr/index.scr")).isNotEmptyFile();
    assertNothingIsLeft();
  }

  @Test
  void twoOfOneSetLostWithoutAFlushIsNoSuccess() throws Exception {
    Ran ran = demo("--lose=2", "--flush=0");

    assertThat(ran.exit()).as(ran.out()).isEqualTo(1);
    assertThat(ran.out()).doesNotContain("identical");
    assertThat(ran.out().lines().toList().getLast()).contains("failed: no checkpoint could be restored", "node2 node3");
    assertNothingIsLeft();
  }

  @Test
  void aDirectoryThatNoDemoMadeIsLeftAlone() throws Exception {
    Path theirs = Files.writeString(Files.createDirectories(directory.resolve("out")).resolve("thesis.txt"), "x");

    Ran ran = demo();

    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.out()).contains("holds something that no demo left there");
    assertThat(theirs).hasContent("x");
  }

  private Ran demo(String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(HOME.resolve("bin/scr").toString(), "demo",
        "--out", directory.resolve("out").toString(), "--size", "256", "--steps", "60", "--checkpoint-every", "10"));
    command.addAll(List.of(options));
    File out = directory.resolve("output").toFile();
    var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out);
    builder.environment().keySet().removeIf(name -> name.startsWith("SCR_"));
    builder.environment().put("SCR_AOT", "0");
    builder.environment().put("SCR_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SCR_JAVA_OPTIONS",
        ShortLife.javaOptions() + " -Djava.io.tmpdir=" + scratch());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      process.destroy();                                  // its shutdown hook ends what it started
      process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join().destroyForcibly();
    }
    return new Ran(process.exitValue(), Files.readString(out.toPath()));
  }

  /** Short, since sockets are below it. */
  private Path scratch() throws IOException {
    return Files.createDirectories(directory.resolve("t"));
  }

  /** Neither a process nor a file of the nodes' storage. */
  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(scratch()); Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("scr-demo"))).isEmpty();
      String mine = directory.toString();
      assertThat(all.filter(p -> p.info().commandLine().orElse("").contains(mine))
          .filter(p -> p.pid() != ProcessHandle.current().pid())).isEmpty();
    }
  }
}
