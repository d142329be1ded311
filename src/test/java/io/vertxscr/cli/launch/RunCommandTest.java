package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: a job runs, restarts without down nodes, and leaves no process, under every resource manager. Method: all
 * commands of the machine are stubs; see {@link StubMachine}.
 */
@Execution(ExecutionMode.CONCURRENT)
class RunCommandTest {
  /** A launcher: notes its arguments and its nodes; the n-th run does what program-n says. */
  private static final String LAUNCHER = """
      echo "%s $* | $SCR_NODELIST | $SCR_SOCKET" >> "$CALLS"
      n=1; while [ -e "$STATE/run-$n" ]; do n=$((n+1)); done; touch "$STATE/run-$n"
      [ ! -e "$STATE/program-$n" ] || . "$STATE/program-$n"
      """;

  /** Waits for {@link StubMachine#says}. */
  private static final String SAID = "while [ ! -e \"$STATE/said-node1\" ]; do sleep 0.05; done; ";

  @TempDir
  private Path directory;
  private StubMachine machine;

  @BeforeEach
  void set() throws IOException {
    machine = new StubMachine(directory);
    for (String launcher : List.of("mpiexec.hydra", "jsrun", "program")) {
      machine.command(launcher, LAUNCHER.formatted(launcher));
    }
  }

  @AfterEach
  void nothingIsLeftRunning() throws IOException {
    try (var files = Files.list(directory)) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("alive-"))).isEmpty();
    }
  }

  private void program(int run, String script) throws IOException {
    Files.writeString(directory.resolve("program-" + run), script);
  }

  private void slurm() throws IOException {
    machine.with("SLURM_JOB_ID", "77").with("SLURM_JOB_NODELIST", "n[1-3]").with("SLURM_JOB_END_TIME", "9999999999");
    // With --overlap it runs a daemon, else it is the launcher of the program.
    machine.command("srun", "case \"$*\" in *--overlap*)\n  while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
        + "  exec \"$@\";;\nesac\n" + LAUNCHER.formatted("srun"));
    machine.command("sinfo", "cat \"$STATE/sinfo\" 2>/dev/null; exit 0\n");
  }

  @Test
  void aProgramOnOneMachineFindsTheSocketsOfItsNodesAndDaemonsAreStopped() throws Exception {
    CliRun run = machine.run("run", "--nodes", "2", "--spares", "1", "program", "--flag", "a b");
    assertThat(run).returns(0, CliRun::exit).returns("", CliRun::out)
        .returns("scr run: run 1 begins on 2 nodes: node1,node2\n", CliRun::err);
    assertThat(machine.called("program"))
        .containsExactly("--flag a b | node1,node2 | /run/node1.sock:/run/node2.sock");
    assertThat(machine.called("scr")).hasSize(4)
        .last().asString().startsWith("scavenge --prefix " + machine.prefix());
  }

  @Test
  void aNodeWhoseDaemonDiesIsReplacedByASpare() throws Exception {
    program(1, "touch \"$STATE/dead-node1\"; exit 3\n");
    CliRun run = machine.run("run", "--nodes", "2", "--spares", "1", "--runs", "2", "program");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("program")).containsExactly(" | node1,node2 | /run/node1.sock:/run/node2.sock",
        " | node2,node3 | /run/node2.sock:/run/node3.sock");
    assertThat(run.err()).contains("scr run: node node1 is left out: its daemon has ended with exit code 9 (log ",
        "scr run: run 2 begins on 2 nodes: node2,node3");
  }

  /** By that they know the first run of it: it alone may empty the caches. */
  @Test
  void allDaemonsOfOneCallKnowThatTheyAreOfThatCall() throws Exception {
    program(1, "touch \"$STATE/once-node1\"; exit 3\n");
    machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    machine.run("run", "--nodes", "1", "--no-scavenge", "program");
    List<String> launches = Files.readAllLines(directory.resolve("launches"));
    assertThat(launches).hasSize(4).doesNotContain("");
    assertThat(launches.subList(0, 3)).containsOnly(launches.getFirst());
    assertThat(launches).last().isNotEqualTo(launches.getFirst());
  }

  /** 143 is SIGTERM, 139 a segmentation fault, 137 SIGKILL, which the system sends too. */
  @Test
  void daemonsAreToldOfAnEndBySignalAndNotOfAFailure() throws Exception {
    Path told = directory.resolve("ended-from-outside");
    for (int exit : List.of(1, 139, 137, 143)) {
      program(1, "exit " + exit + "\n");
      machine.run("run", "--nodes", "2", "--no-scavenge", "program");
      Files.deleteIfExists(directory.resolve("run-1"));
      assertThat(Files.exists(told)).as("exit code %d", exit).isEqualTo(exit == 143);
    }
    assertThat(Files.readAllLines(told)).containsExactlyInAnyOrder("node1", "node2");
  }

  /** A directory in the place of a file is an error of the file system. */
  @Test
  void anErrorOfThePrefixDirectoryEndsNoJobThatHasBegun() throws Exception {
    program(1, "mkdir -p \"$SCR_PREFIX/.scr/nodes.scr\" \"$SCR_PREFIX/.scr/halt.scr\"\n" + SAID
        + "sleep 0.3\nexit 3\n");
    machine.says("node1", "event {\"type\":\"run-begun\",\"ranks\":2,\"nodes\":2}\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(run.err()).contains("scr run: run 1 failed with exit code 3\n",
        "scr run: going on without what the prefix directory says of runs: ", "halt.scr",
        "scr run: run 2 begins on 2 nodes: node1,node2\n");
  }

  @Test
  void skippedCheckpointsAndStartsWithoutOneAreToldToTheUser() throws Exception {
    program(1, SAID + "sleep 0.3\n");
    machine.says("node1", """
        event {"type":"restart-passed-over","dataset":3,"name":"step-3","cached":false,"cause":"b of rank 1 is missing"}
        event {"type":"restart-anew","prefix":"/p","listed":1,"cause":"none of them can be used"}
        """);
    CliRun run = machine.run("run", "--nodes", "2", "program");
    assertThat(run).returns(0, CliRun::exit).extracting(CliRun::err).isEqualTo("""
        scr run: run 1 begins on 2 nodes: node1,node2
        scr run: dataset 3 'step-3' is passed over: b of rank 1 is missing
        scr run: none of them can be used
        """);
  }

  @Test
  void withoutASpareADaemonIsStartedAgain() throws Exception {
    program(1, "touch \"$STATE/once-node1\"; exit 3\n");
    CliRun run = machine.with("SCR_RUNS", "-1").run("run", "--nodes", "2", "program");
    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(run.err()).contains("too few nodes are left: starting daemons again on node1",
        "run 2 begins on 2 nodes: node1,node2");
  }

  @Test
  void whereADaemonCannotBeStartedAgainTheJobEnds() throws Exception {
    program(1, "touch \"$STATE/dead-node1\"; exit 3\n");
    CliRun run = machine.with("SCR_RUNS", "-1").run("run", "--nodes", "2", "program");
    assertThat(run.exit()).as(run.err()).isEqualTo(3);
    assertThat(run.err()).contains("too few nodes are left: starting daemons again on node1",
        "node node1 is left out: its daemon has ended with exit code 1: node1: out of order (log ",
        "1 node can be used, and it takes 2");
  }

  @Test
  void runsAreAllTheUserAllows() throws Exception {
    program(1, "exit 5\n");
    program(2, "sleep 1; exit 5\n");
    CliRun run = machine.run("run", "--nodes", "1", "--runs", "2", "program");
    assertThat(run.exit()).isEqualTo(5);
    assertThat(machine.called("program")).hasSize(2);
    assertThat(run.err()).contains("run 2 failed with exit code 5, and SCR_RUNS allows 2");
  }

  @Test
  void aProgramThatFailsAtOnceIsRetriedOnceAndItsOutputComesLast() throws Exception {
    for (int n = 1; n <= 3; n++) {
      program(n, "exit 5\n");
    }
    CliRun run = machine.run("run", "--nodes", "1", "--runs", "-1", "program");
    assertThat(run.exit()).isEqualTo(5);
    assertThat(run.err()).isEqualTo("""
        scr run: run 1 begins on 1 node: node1
        scr run: run 1 failed with exit code 5
        scr run: run 2 begins on 1 node: node1
        """);
    assertThat(machine.called("program")).hasSize(2);
  }

  @Test
  void underSlurmANodeThatTheManagerCallsDownIsExcluded() throws Exception {
    slurm();
    program(1, "echo n2 > \"$STATE/sinfo\"; exit 1\n");
    CliRun run = machine.with("SCR_RUNS", "-1").run("run", "srun", "-n", "4", "./a");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("srun")).containsExactly("-n 4 ./a | n1,n2,n3 | ", "--exclude=n2 -n 4 ./a | n1,n3 | ");
    assertThat(run.err()).contains("node n2 is left out: Slurm says that it is down");
    assertThat(machine.called("scr")).last().asString().contains("--hosts n1,n3", "--nodelist={host}");
  }

  /** The manager calls it so from the second look behind the failure on. */
  @Test
  void aNodeThatIsLostInThePauseBeforeARunIsLeftOut() throws Exception {
    slurm();
    machine.command("sinfo", "[ ! -e \"$STATE/looked\" ] || echo n2\n"
        + "[ ! -e \"$STATE/failed\" ] || touch \"$STATE/looked\"\n");
    program(1, "touch \"$STATE/failed\"; exit 1\n");
    CliRun run = machine.with("SCR_RUNS", "-1").run("run", "srun", "-n", "4", "./a");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("srun")).containsExactly("-n 4 ./a | n1,n2,n3 | ", "--exclude=n2 -n 4 ./a | n1,n3 | ");
  }

  @Test
  void underFluxCommandsGoByRank() throws Exception {
    machine.with("FLUX_URI", "local:///x").with("SCR_JOB_ID", "f1");
    machine.command("flux", "case $1 in\ngetattr) echo 'n[1-2]';;\nresource) cat \"$STATE/down\" 2>/dev/null;;\n"
        + "job) echo 3600;;\nexec) echo \"exec $3\" >> \"$CALLS\"; shift 3; exec \"$@\";;\nrun)\n"
        + LAUNCHER.formatted("flux") + ";;\nesac\n");
    program(1, "echo n1 > \"$STATE/down\"; exit 1\n");
    program(2, "exit 7\n");
    CliRun run = machine.with("SCR_RUNS", "2").run("run", "flux", "run", "-N", "1", "./a");
    assertThat(run).as(run.err()).returns(7, CliRun::exit);
    assertThat(machine.called("flux"))
        .containsExactly("run -N 1 ./a | n1,n2 | ", "run --requires=-host:n1 -N 1 ./a | n2 | ");
    assertThat(machine.called("exec")).containsExactlyInAnyOrder("--rank=0", "--rank=1");
    assertThat(machine.called("scr")).last().asString().contains("--hosts 1 ");
  }

  @Test
  void underLsfAndPbsTheNodesAreInAFile() throws Exception {
    Files.writeString(directory.resolve("hosts"), "n1\nn1\nn2\nn2\n");
    machine.with("LSB_JOBID", "5").with("LSB_DJOB_HOSTFILE", directory.resolve("hosts").toString());
    machine.command("blaunch", "shift 2; exec \"$@\"\n");
    program(1, "touch \"$STATE/dead-n2\"; exit 1\n");
    CliRun run = machine.run("run", "--runs", "2", "--min-nodes", "1", "jsrun", "-n", "2", "./a");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("jsrun")).last().isEqualTo("--exclude_hosts n2 -n 2 ./a | n1 | ");
  }

  @Test
  void overSshWordsAreQuotedAndOnlyWhatTheScriptReadsIsOnTheLine() throws Exception {
    machine.command("ssh", "echo \"$*\" >> \"$STATE/lines\"; shift 6; exec sh -c \"$*\"\n");
    machine.with("SCR_JOB_NAME", "it's \"a\" job").with("SCR_JAVA_OPTIONS", "-Dx=\"a b\" -Dy=1");
    CliRun run = machine.run("run", "--hosts", "n[1-2]", "mpiexec.hydra", "./a");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("mpiexec.hydra")).containsExactly("-hosts n1,n2 ./a | n1,n2 | ");
    assertThat(machine.called("scr")).anyMatch(line -> line.startsWith("node --attached --name n2 --port "));
    assertThat(directory.resolve("lines")).content().contains("-Dx=").doesNotContain("job", "SCR_CNTL_BASE");
  }

  @Test
  void aHaltedJobStartsNothing() throws Exception {
    machine.run("halt", machine.prefix());
    CliRun run = machine.run("run", "--nodes", "1", "program");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains(
        "no run begins: somebody has halted the job (JOB_HALTED); 'scr halt --remove " + machine.prefix());
    assertThat(machine.called("program")).isEmpty();
    assertThat(machine.called("scr")).noneMatch(line -> line.startsWith("node"));
  }

  private void programThatLeavesTheHaltFileAndFails(int run) throws IOException {
    program(run, "cp \"$STATE/halt.scr\" \"$STATE/p/.scr/halt.scr\"; exit 4\n");
    Files.move(machine.prefix().resolve(".scr/halt.scr"), directory.resolve("halt.scr"));
  }

  /** In SCR, too, its script starts what has finished before, and does not start it again once it has. */
  @Test
  void aFinishedProgramIsStartedAgainByAnotherCallAndNotByTheCallThatSawItsEnd() throws Exception {
    machine.finished();
    programThatLeavesTheHaltFileAndFails(2);
    machine.finished();
    program(1, "exit 3\n");
    CliRun run = machine.run("run", "--nodes", "1", "--runs", "-1", "program");
    assertThat(run.exit()).as(run.err()).isEqualTo(4);
    assertThat(machine.called("program")).as("a run that finds the end of an earlier one is tried again").hasSize(2);
    assertThat(run.err()).startsWith("scr run: the last run here has finished (SCR_FINALIZE_CALLED): the program is"
        + " started again anyway\n").contains("no run begins: the program has finished (SCR_FINALIZE_CALLED)");
  }

  @Test
  void aHaltBetweenRunsIsHonoured() throws Exception {
    machine.run("halt", machine.prefix());
    programThatLeavesTheHaltFileAndFails(1);
    CliRun run = machine.run("run", "--nodes", "1", "--runs", "-1", "program");
    assertThat(run.exit()).as(run.err()).isEqualTo(4);
    assertThat(machine.called("program")).hasSize(1);
  }

  @Test
  void aProgramWithoutAPhaseIsKilledAfterTheUsersTime() throws Exception {
    program(1, "exec sleep 60\n");
    CliRun run = machine.with("SCR_WATCHDOG_TIMEOUT", "1").run("run", "--nodes", "1", "program");
    assertThat(run.exit()).isEqualTo(143);
    assertThat(run.err()).contains("no phase has begun or ended for 1 s: the run is killed");
  }

  /** Method: the first run caches checkpoint 4 and dies; then the prefix directory has checkpoint 7. */
  @Test
  void underScrsNameTheRestartCommandIsUsedWhereThereIsACheckpointWithItsName() throws Exception {
    slurm();
    machine.says("n1", """
        event {"type":"phase-started","dataset":4,"name":"step-4","checkpoint":true}
        event {"type":"dataset-complete","dataset":4}
        """);
    program(1, SAID.replace("node1", "n1") + "exit 1\n");
    CliRun run = machine.with("SCR_RUNS", "2")
        .run("scr_srun", "-n", "4", "--run-cmd", "./a b", "--restart-cmd=./r --from SCR_CKPT_NAME");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(machine.called("srun"))
        .containsExactly("-n 4 ./a b | n1,n2,n3 | ", "-n 4 ./r --from step-4 | n1,n2,n3 | ");

    machine.says("n1", "");
    new PrefixIndex(new PrefixPaths(machine.prefix()),
        PatientLocks.user("test", Duration.ofSeconds(1))).update(index -> index.put(
        Index.Entry.flushed(new DatasetDescriptor(7, "step-7", DatasetFlags.CHECKPOINT, 7, 7,
            new io.vertxscr.model.Job("u", "", "1", ""), new DatasetDescriptor.Totals(1, 1)), true,
            LocalDateTime.of(2026, 11, 20, 11, 58, 50))));
    assertThat(machine.run("scr_run", "srun", "-rs", "./r SCR_CKPT_NAME", "-rc", "./a").exit()).isZero();
    assertThat(machine.called("srun")).last().asString().startsWith("./r step-7 | ");
    assertThat(machine.run("scr_srun", "./b").exit()).isZero();
    assertThat(machine.called("srun")).last().asString().startsWith("./b | ");
  }

  @Test
  void aProgramThatIsNotThereIsNotTriedAgain() {
    CliRun run = machine.run("run", "--nodes", "1", "--runs", "-1", "no-such-program");
    assertThat(run.exit()).isEqualTo(127);
    assertThat(run.err()).contains("the program cannot be started");
  }

  @Test
  void whereAProgramRestartsFromAndWhatStaysInTheCachesIsTold() throws Exception {
    machine.says("node1", """
        event {"type":"restored","dataset":3,"ranks":{"kept":1,"moved":0,"rebuilt":3,"fetched":0},"restoreUs":5}
        event {"type":"run-begun","ranks":4,"nodes":2}
        event {"type":"phase-started","dataset":2,"name":"past-the-cache"}
        event {"type":"dataset-complete","dataset":2,"published":true}
        event {"type":"phase-started","dataset":4,"name":"step-4"}
        event {"type":"dataset-complete","dataset":4}
        event {"type":"flush-failed","dataset":4,"cause":"/p: Read-only file system"}
        """);
    program(1, SAID + "kill -9 $$\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run.err().lines()).contains("scr run: run 1 was ended by signal 9 (exit code 137)",
        "scr run: run 2 begins on 2 nodes: node1,node2",
        "scr run: only in the caches of node1,node2: dataset 4 'step-4'; the last flush failed:"
            + " /p: Read-only file system");
    assertThat(run.err()).contains("scr run: 4 ranks on 2 nodes: they restart from dataset 3 (files of ranks: 1 as they"
        + " lay in the caches, 3 rebuilt)");
  }

  @Test
  void aProgramThatEndsWellAfterTheLossOfANodeHasFailedAndIsStartedAgain() throws Exception {
    machine.says("node1", """
        event {"type":"run-begun","ranks":4,"nodes":2}
        event {"type":"run-over","fault":"NODE_LOST","cause":"node node2 (ranks 2, 3) has left the cluster"}
        """);
    program(1, SAID + "exit 0\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run.err().lines()).contains(
        "scr run: the program has ended with exit code 0, but its run was over before:"
        + " node node2 (ranks 2, 3) has left the cluster", "scr run: run 2 begins on 2 nodes: node1,node2");
  }

  @Test
  void theLossOfANodeThatIsToldAfterTheGoodEndOfTheProgramCountsToo() throws Exception {
    machine.says("node1", "event {\"type\":\"run-begun\",\"ranks\":4,\"nodes\":2}\n");
    machine.saysLater("node1",
        "event {\"type\":\"run-over\",\"fault\":\"NODE_LOST\",\"cause\":\"node node2 has left the cluster\"}\n");
    program(1, SAID + "touch \"$STATE/ended\"; exit 0\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run.err().lines()).contains("scr run: the program has ended with exit code 0, but its run was over"
        + " before: node node2 has left the cluster", "scr run: run 2 begins on 2 nodes: node1,node2");
  }

  @Test
  void aProgramThatEndsItselfForAHaltConditionHasNotFailed() throws Exception {
    machine.says("node1", """
        event {"type":"run-begun","ranks":4,"nodes":2}
        event {"type":"halting","reason":"JOB_HALTED","cause":"somebody has halted the job (JOB_HALTED)"}
        event {"type":"run-over"}
        """);
    program(1, SAID + "exit 1\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(run.err().lines()).contains(
        "scr run: the run has ended because it was to stop: somebody has halted the job (JOB_HALTED)");
    assertThat(run.err()).doesNotContain("failed", "run 2");
  }

  /** Method: all that the daemon tells comes after the end of the program, but before its answer to a ping. */
  @Test
  void whatDaemonsToldBeforeTheEndOfTheProgramCountsHoweverLateItIsRead() throws Exception {
    machine.hasSaid("node1", """
        event {"type":"run-begun","ranks":4,"nodes":2}
        event {"type":"halting","reason":"JOB_HALTED","cause":"somebody has halted the job (JOB_HALTED)"}
        event {"type":"run-over"}
        """);
    program(1, "touch \"$STATE/ended\"; exit 1\n");
    CliRun run = machine.run("run", "--nodes", "2", "--runs", "2", "--no-scavenge", "program");
    assertThat(run).as(run.err()).returns(0, CliRun::exit);
    assertThat(run.err()).contains("the run has ended because it was to stop").doesNotContain("failed", "run 2");
  }

  /** Method: a file stands where the directory of our own should be. */
  @Test
  void aPrefixDirectoryThatCannotBeWrittenToIsRefusedInTheWordsOfPrerun() throws Exception {
    Files.writeString(machine.prefix().resolve(".scr"), "");
    CliRun run = machine.run("run", "--nodes", "2", "program");
    assertThat(run).isEqualTo(machine.with("FLUX_URI", "").run("prerun", "--hosts", "n1"));
    assertThat(run).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .startsWith("scr: prefix directory " + machine.prefix() + " cannot be written to: ");
    Files.delete(machine.prefix().resolve(".scr"));
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(machine.run("run", "--nodes", "2", "--logs", file.resolve("logs"), "program").err())
        .startsWith("scr: the directory for the logs, " + file.resolve("logs") + ", cannot be made: ");
    assertThat(machine.called()).isEmpty();
  }

  @Test
  void aMisspeltParameterIsToldOnceBeforeAnythingStarts() {
    CliRun run = machine.with("SCR_FLSH", "1").run("run", "--nodes", "1", "program");
    assertThat(run).returns(0, CliRun::exit).extracting(CliRun::err).isEqualTo("""
        scr run: SCR_FLSH in the environment is not a parameter; did you mean SCR_FLUSH?
        scr run: run 1 begins on 1 node: node1
        """);
  }

  @Test
  void wrongUseIsRefusedBeforeAnythingIsStarted() throws Exception {
    assertThat(machine.run("run")).returns(2, CliRun::exit)
        .satisfies(run -> assertThat(run.err()).contains("a program is missing"));
    assertThat(machine.run("run", "--nodes", "0", "program").exit()).isEqualTo(2);
    assertThat(machine.run("run", "--runs", "-2", "program").exit()).isEqualTo(2);
    assertThat(machine.run("run", "--hosts", "n[", "program").exit()).isEqualTo(2);
    slurm();
    assertThat(machine.run("run", "srun", "-x", "n1", "./a").err()).contains("use --exclude or --hosts of scr run");
    assertThat(machine.called()).isEmpty();
  }
}
