package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.house.ReadmeExample;
import io.vertxscr.timing.Eventually;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the README's program runs as it stands there, with the commands that stand there. Method: both are taken from
 * the README; the home directory is one of the test, and sockets, caches and ports are its own.
 */
class ReadmeExampleIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().normalize();
  private static final int PATIENCE_S = 300;

  /** Short: sockets have at most 107 bytes. */
  @TempDir
  private Path directory;
  private List<String> commands;
  private Process running;

  @BeforeEach
  void copy() throws IOException {
    commands = ReadmeExample.commands();
    assertThat(commands).hasSize(5).last().asString().endsWith(" java Example");
    Files.writeString(Files.createDirectory(directory.resolve("example")).resolve("Example.java"),
        ReadmeExample.program());
  }

  @AfterEach
  void end() throws InterruptedException {
    if (running != null && running.isAlive()) {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly().waitFor();
    }
  }

  @Test
  void itRunsUnderMpirunOnFourDaemons() throws Exception {
    assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(place -> Files.isExecutable(Path.of(place, "mpirun"))), "no mpirun on the PATH");
    assertThat(shell(commands.subList(0, 4), storage(directory))).containsExactly(
        "scr run: run 1 begins on 4 nodes: node1,node2,node3,node4",
        "scr run: 4 ranks on 4 nodes: there is no checkpoint to restart from: they begin at the start");
    for (int rank = 0; rank < 4; rank++) {
      assertThat(directory.resolve("example/ckpt/20/state-" + rank)).hasContent("20");
    }
  }

  @Test
  void itRunsAloneAndFindsTheDaemonOfItsHost() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(Map.of())) {
      cluster.start("n1");
      Path prefix = cluster.newPrefix();
      assertThat(shell(List.of(commands.get(0), commands.get(1), commands.get(2), "cd '" + prefix + "'",
          commands.getLast()), storage(cluster.directory()))).isEmpty();
      Eventually.holds("the last checkpoint is in the prefix directory",
          () -> Files.exists(prefix.resolve("ckpt/20/state-0")));
    }
  }

  private static Map<String, String> storage(Path directory) {
    return Map.of("SCR_CNTL_BASE", directory.resolve("c").toString(), "SCR_CACHE_BASE",
        directory.resolve("k").toString());
  }

  /** Returns SCR's messages, after all of them have succeeded. JVMs may say more, of a machine with others on it. */
  private List<String> shell(List<String> lines, Map<String, String> storage) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder = new ProcessBuilder("bash", "-ec", String.join("\n", lines)).directory(HOME.toFile())
        .redirectErrorStream(true).redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("SCR_"));
    environment.putAll(storage);
    environment.putAll(Map.of("HOME", directory.toString(), "SCR_JAVA_HOME", System.getProperty("java.home"),
        "SCR_JAVA_OPTIONS", ShortLife.javaOptions(), "SCR_AOT", "0", "SCR_USER_NAME", "u", "SCR_JOB_ID", "1",
        "SCR_INIT_NOTICE_SECONDS", "0"));                 // nothing that depends on the machine
    environment.putAll(Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1",
        "OMPI_MCA_rmaps_base_oversubscribe", "1"));        // as root, and on two processors
    running = builder.start();
    boolean ended = running.waitFor(PATIENCE_S, TimeUnit.SECONDS);
    assertThat(ended && running.exitValue() == 0).as(Files.readString(output)).isTrue();
    return Files.readAllLines(output).stream().filter(line -> line.startsWith("scr")).toList();
  }
}
