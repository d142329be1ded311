package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.launch.Program;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: after a split brain a daemon is restarted before its node is excluded. That happens on a loaded machine.
 * Method: stub daemons, see {@link StubMachine}; they are given a second to see each other.
 */
@Execution(ExecutionMode.CONCURRENT)
class LaunchedJobTest {
  private static final String APART = "scr run: node node2: its daemon sees [node2], the others see ";

  @TempDir
  private Path directory;
  private StubMachine machine;
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void set() throws IOException {
    machine = new StubMachine(directory);
    machine.command("program", "exit 0\n");
  }

  private LaunchedJob.JobOutcome run(int spares, long agreeMs) throws Exception {
    return run(spares, agreeMs, LaunchedJob.AGREE_MS);
  }

  private LaunchedJob.JobOutcome run(int spares, long agreeMs, long noticeMs) throws Exception {
    Map<String, String> environment = machine.environment();
    Allocation allocation =
        Allocation.read(ResourceManagers.find(environment, "", OptionalInt.of(2 + spares)), "", environment);
    LaunchSettings settings = new LaunchSettings(1, 0, Set.of(), false, OptionalLong.empty(), 0);
    JobPlan plan = new JobPlan(allocation, Program.of(List.of("program"), ""), Optional.empty(), settings,
        new PrefixPaths(machine.prefix()), 2, Map.of("SCR_USER_NAME", "u", "SCR_JOB_ID", "1"));
    Path logs = Files.createDirectories(directory.resolve("logs"));
    return new LaunchedJob(plan, new Fleet.Setup("scr", plan.variables(), Optional.empty(), logs),
        new PrintWriter(err, true) {
          @Override
          public void println(String line) {
            super.println(line);
            if (line.contains("waits for the daemons of")) {
              machine.remove("late-node2");               // it was told: now it may come
            }
          }
        }, agreeMs, noticeMs).run();
  }

  @Test
  void aDaemonThatBeganAClusterOfItsOwnIsStartedAgainAndFindsTheOthers() throws Exception {
    machine.touch("apart-once-node2");
    LaunchedJob.JobOutcome outcome = run(0, 1000);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(outcome.up()).containsExactly("node1", "node2");
    assertThat(err).hasToString(APART + "[node1]; it is started again\n"
        + "scr run: run 1 begins on 2 nodes: node1,node2\n");
  }

  @Test
  void oneThatNeverFindsThemIsLeftOutAfterTwoMoreTries() throws Exception {
    machine.touch("apart-node2");
    LaunchedJob.JobOutcome outcome = run(1, 500);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(outcome.up()).containsExactly("node1", "node3");
    assertThat(machine.called("scr")).filteredOn(line -> line.contains("--name node2")).hasSize(3);
    assertThat(err).hasToString((APART + "[node1, node3]; it is started again\n").repeat(2)
        + "scr run: node node2 is left out: its daemon sees [node2], the others see [node1, node3]\n"
        + "scr run: run 1 begins on 2 nodes: node1,node3\n");
  }

  @Test
  void aWaitForDaemonsIsToldOnce() throws Exception {
    machine.touch("late-node2");
    LaunchedJob.JobOutcome outcome = run(0, 1000, 100);
    assertThat(outcome.exit()).as(err.toString()).isZero();
    assertThat(err.toString()).startsWith("scr run: waits for the daemons of node").containsOnlyOnce("waits for the"
        + " daemons of node").contains("node2", " to start, up to 180 s; their logs are in " + directory + "/logs\n",
        "scr run: run 1 begins on 2 nodes: node1,node2\n");
  }

  @Test
  void soIsAWaitForThemToSeeEachOther() throws Exception {
    machine.touch("apart-node2");
    assertThat(run(1, 1000, 500).exit()).as(err.toString()).isZero();
    assertThat(err.toString()).contains("scr run: waits for the daemons to find each other, up to 1 s\n");
  }
}
