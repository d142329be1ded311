package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: {@code scr run} brings a C program under mpirun through the death of a node. Method: eight ranks on four of
 * five daemons of this machine; in the second checkpoint one daemon and its two ranks are killed with SIGKILL and the
 * files of that node deleted.
 */
class ScrRunIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().normalize();
  private static final int RANKS = 8;
  private static final String JOB = "u/scr.1";

  /** Short: sockets have at most 107 bytes. */
  @TempDir
  private Path directory;
  private Path prefix;
  private NativeBuild build;

  @BeforeEach
  void make() throws Exception {
    build = NativeBuild.make();
    prefix = Files.createDirectory(directory.resolve("p"));
  }

  @AfterEach
  void nothingIsLeftRunning() throws Exception {
    Eventually.holds("all processes are gone", () -> ours().isEmpty());
  }

  /** Processes, started by anybody, whose environment names our directory. */
  private List<String> ours() {
    return ProcessHandle.allProcesses().filter(process -> process.pid() != ProcessHandle.current().pid())
        .map(ScrRunIT::environmentOf).filter(text -> text.contains(directory.toString())).toList();
  }

  private static String environmentOf(ProcessHandle process) {
    try {
      Path environment = Path.of("/proc/" + process.pid() + "/environ");
      return Files.readString(environment, StandardCharsets.ISO_8859_1);
    } catch (IOException _) {
      return "";
    }
  }

  private static ProcessHandle daemon(String node, Path directory) {
    return ProcessHandle.allProcesses()
        .filter(process -> environmentOf(process).contains(directory.toString()))
        .filter(process -> process.info().command().orElse("").endsWith("java"))
        .filter(process -> List.of(process.info().arguments().orElse(new String[0])).containsAll(
            List.of("--attached", node)))
        .findFirst().orElseThrow();
  }

  private ProcessHandle rank(int rank) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().command().orElse("").endsWith("mpi_checkpoint"))
        .filter(process -> environmentOf(process).contains(directory.toString()))
        .filter(process -> environmentOf(process).contains("OMPI_COMM_WORLD_RANK=" + rank + "\0"))
        .findFirst().orElseThrow();
  }

  @Test
  void aKilledNodeIsLeftOutAndTheProgramGoesOnFromTheRebuiltCheckpoint() throws Exception {
    Path waiting = prefix.resolve(".waiting");
    // Only the first run waits, and is hit: the second finds the mark.
    Path script = directory.resolve("program.sh");
    Files.writeString(script, "#!/bin/sh\nif [ -e '" + prefix.resolve(".second") + "' ]; then exec \"$1\" 1 5; fi\n"
        + "exec \"$1\" 2 5 wait '" + waiting + "'\n");
    NativeBuild.Program job = build.start(List.of(HOME.resolve("bin/scr").toString(), "run", "--nodes", "4",
        "--spares", "1", "--runs", "2", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "" + RANKS,
        "sh", script.toString(), build.program("mpi_checkpoint").toString()), prefix,
        Map.of("SCR_JAVA_HOME", System.getProperty("java.home"), "SCR_JAVA_OPTIONS", ShortLife.javaOptions(),
            "SCR_USER_NAME", "u", "SCR_JOB_ID", "1", "SCR_CNTL_BASE", directory.resolve("c").toString(),
            "SCR_CACHE_BASE", directory.resolve("k").toString(), "SCR_FLUSH", "0",
            "SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    Eventually.holds("the ranks are in the second checkpoint", () -> Files.exists(waiting) || !job.process().isAlive());
    assertThat(job.process().isAlive()).as(job.output()).isTrue();

    Files.createFile(prefix.resolve(".second"));
    daemon("node2", directory).destroyForcibly();
    rank(2).destroyForcibly();
    rank(3).destroyForcibly();
    wipe("node2");
    Files.delete(waiting);

    assertThat(job.awaitExit()).as(job.output()).isZero();
    assertThat(job.output()).contains("wrote step-1",
        "scr run: node node2 is left out: its daemon was killed by signal 9 (log ",
        "scr run: run 2 begins on 4 nodes: node1,node3,node4,node5",
        RANKS + " ranks on 4 nodes: there is no checkpoint to restart from",
        RANKS + " ranks on 4 nodes: they restart from dataset 1 'step-1' (files of ranks: ", " rebuilt", "wrote step-2")
        .contains(IntStream.range(0, RANKS).mapToObj(rank -> "rank " + rank + " restarted from step-1").toList())
        .doesNotContain("is not what was written");
  }

  /** The node's storage is gone with it. */
  private void wipe(String node) throws IOException {
    for (String base : List.of("c", "k")) {
      Path gone = directory.resolve(base).resolve(JOB).resolve(node);
      try (Stream<Path> files = Files.walk(gone)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
      assertThat(gone).doesNotExist();
    }
  }
}
