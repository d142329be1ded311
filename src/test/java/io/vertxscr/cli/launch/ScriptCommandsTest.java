package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what people need who write the script of a job themselves. */
class ScriptCommandsTest {
  @TempDir
  private Path directory;
  private StubMachine machine;

  @BeforeEach
  void slurm() throws IOException {
    machine = new StubMachine(directory);
    machine.with("SLURM_JOB_ID", "77").with("SLURM_JOB_NODELIST", "n[1-4]").with("SLURM_JOB_END_TIME", "9999999999");
    machine.command("srun", "case \"$*\" in *nodelist=n3*) exit 1;; esac\n");
    machine.command("sinfo", "echo n2\n");
  }

  @Test
  void listDownNodesPrintsThoseThatCannotBeUsed() {
    assertThat(machine.run("list-down-nodes", "--exclude", "n4")).isEqualTo(new CliRun(0, "n2,n3,n4\n", ""));
    assertThat(machine.run("list-down-nodes", "--reason").out()).isEqualTo(
        "n2: Slurm says that it is down\nn3: no command can be run there\n");
    assertThat(machine.run("list-down-nodes", "--hosts", "a", "--remote", "true").out()).isEmpty();
  }

  @Test
  void nodesThatAreKnownToBeDownAreNotAskedAndOnlyTheNodesGivenArePrinted() throws Exception {
    machine.command("srun", "echo \"srun $*\" >> \"$CALLS\"\n");
    assertThat(machine.run("list-down-nodes", "--down", "n[3,4]", "--reason").out()).isEqualTo(
        "n2: Slurm says that it is down\nn3: known to be down\nn4: known to be down\n");
    assertThat(machine.called("srun")).singleElement().asString().contains("n1");
    assertThat(machine.run("list-down-nodes", "--down", "n3", "n[1,3]", "n4").out()).isEqualTo("n3\n");
    assertThat(machine.run("list-down-nodes", "n9")).isEqualTo(new CliRun(2, "", "scr: node n9 is none of the"
        + " allocation\n"));
  }

  @Test
  void prerunPrintsTheNodesOrSaysWhyNoRunMayBegin() {
    assertThat(machine.run("prerun")).isEqualTo(new CliRun(0, "n1,n2,n3,n4\n", ""));
    machine.run("halt", machine.prefix());
    assertThat(machine.run("prerun")).returns(1, CliRun::exit)
        .satisfies(run -> assertThat(run.err()).contains("JOB_HALTED"));
    assertThat(machine.with("SCR_RUNS", "x").run("prerun").exit()).isEqualTo(2);
    assertThat(machine.run("prerun", "--prefix", directory.resolve("none")).exit()).isEqualTo(2);
  }

  @Test
  void shouldExitSaysYesWithAReasonOrNo() {
    assertThat(machine.run("should-exit")).isEqualTo(new CliRun(1, "", ""));
    assertThat(machine.run("should-exit", "--down", "n[1-2]", "--min-nodes", "3"))
        .isEqualTo(new CliRun(0, "2 nodes can be used, and it takes 3\n", ""));
    assertThat(machine.run("should-exit", "--down", "n1", "--min-nodes", "3").exit()).isEqualTo(1);
    machine.run("halt", machine.prefix());
    assertThat(machine.run("should-exit")).returns(0, CliRun::exit)
        .satisfies(run -> assertThat(run.out()).contains("JOB_HALTED"));
  }

  /** A script's loop ends with the program; a new start of the script is a deliberate restart. */
  @Test
  void afterANormalEndShouldExitSaysYesUntilPrerunIsCalledAgain() {
    machine.finished();
    assertThat(machine.run("should-exit")).returns(0, CliRun::exit).satisfies(run -> assertThat(run.out())
        .isEqualTo("no run begins: the program has finished (SCR_FINALIZE_CALLED); 'scr run', 'scr prerun' or 'scr halt"
            + " --remove " + machine.prefix() + "' lets another one begin\n"));
    assertThat(machine.run("halt", "--list", machine.prefix()).out())
        .contains("the last run has finished").doesNotContain("no run begins");
    assertThat(machine.run("prerun")).isEqualTo(new CliRun(0, "n1,n2,n3,n4\n", "scr: the last run here has finished"
        + " (SCR_FINALIZE_CALLED): the program is started again anyway\n"));
    assertThat(machine.run("should-exit")).isEqualTo(new CliRun(1, "", ""));
    machine.finished();
    machine.run("halt", "--checkpoints", "0", machine.prefix());
    assertThat(machine.run("prerun")).returns(1, CliRun::exit)
        .satisfies(run -> assertThat(run.err()).contains("NO_CHECKPOINTS_LEFT"));
  }

  /** The script checks the remaining time too, not only the daemons that it would start for nothing. */
  @Test
  void noRunBeginsWhereLessThanTheHaltSecondsIsLeftOfTheAllocation() {
    machine.with("SCR_HALT_SECONDS", "600");
    assertThat(machine.run("should-exit").exit()).isEqualTo(1);
    machine.with("SLURM_JOB_END_TIME", "" + (System.currentTimeMillis() / 1000 + 300));
    assertThat(machine.run("should-exit")).returns(0, CliRun::exit)
        .satisfies(run -> assertThat(run.out()).contains("the 600 s that are to remain"));
    assertThat(machine.run("prerun").exit()).isEqualTo(1);
    machine.run("halt", "--seconds", "60", machine.prefix());
    assertThat(machine.run("should-exit").exit()).as("the halt file says otherwise").isEqualTo(1);
  }

  @Test
  void theEndOfTheAllocationMayStandInTheSystemsFile() throws Exception {
    Path file = Files.createDirectories(directory.resolve("home/conf")).resolve("scr.conf");
    Files.writeString(file, "SCR_HALT_SECONDS=600\nSCR_END_TIME=" + (System.currentTimeMillis() / 1000 + 300) + "\n");
    assertThat(machine.run("should-exit").exit()).isEqualTo(1);
    assertThat(machine.with("SCR_HOME", directory.resolve("home").toString()).run("should-exit"))
        .returns(0, CliRun::exit).satisfies(run -> assertThat(run.out()).contains("the 600 s that are to remain"));
    assertThat(machine.with("SCR_END_TIME", "9999999999").run("should-exit").exit()).as("but the environment wins")
        .isEqualTo(1);
  }

  @Test
  void postrunScavengesFromTheNodesThatAreLeft() throws Exception {
    assertThat(machine.run("postrun").exit()).isZero();
    assertThat(machine.called("scr")).hasSize(1).first().asString()
        .startsWith("scavenge --prefix " + machine.prefix() + " --hosts n1,n4 --remote srun ");
  }

  /** The loop that SCR's own sample of a job script has. */
  @Test
  void aScriptWrittenForScrsCommandsFindsWhatItLooksFor() throws Exception {
    assertThat(machine.run("scr_prerun", "-p", machine.prefix()))
        .isEqualTo(new CliRun(0, "scr_prerun: NODES: n1,n2,n3,n4\nscr_prerun: exit code: 0\n", ""));
    assertThat(machine.run("scr_env", "--nodes").out()).isEqualTo("n1,n2,n3,n4\n");
    assertThat(machine.run("scr_env", "--down").out()).isEqualTo("n2\n");
    CliRun down = machine.run("scr_list_down_nodes", "-j", "srun", "--down", "n4");
    assertThat(down).returns(0, CliRun::exit).returns("n2,n3,n4\n", CliRun::out);
    assertThat(down.err()).startsWith("scr_list_down_nodes: --joblauncher has no effect here: ").hasLineCount(1);
    assertThat(machine.run("scr_list_down_nodes", "--reason", "n3").out())
        .isEqualTo("n3: no command can be run there\n");
    assertThat(machine.run("scr_list_down_nodes", "n1").out()).isEqualTo("\n");

    machine.with("SCR_MIN_NODES", "2");
    assertThat(machine.run("scr_should_exit", "-p", machine.prefix()).exit()).isEqualTo(1);
    assertThat(machine.run("scr_should_exit", "-p", machine.prefix(), "--down", "n4"))
        .isEqualTo(new CliRun(0, "1 node can be used, and it takes 2\n", ""));
    machine.run("scr_halt", machine.prefix());
    assertThat(machine.run("scr_should_exit").exit()).isZero();
    assertThat(machine.run("scr_prerun").exit()).isEqualTo(1);
    assertThat(machine.run("scr_postrun", "-p", machine.prefix(), "-j", "srun")).returns(0, CliRun::exit)
        .returns("scr_postrun: exit code: 0\n", CliRun::out);
    assertThat(machine.called("scr")).singleElement().asString().startsWith("scavenge --prefix " + machine.prefix());
    assertThat(machine.with("SCR_ENABLE", "0").run("scr_prerun")).isEqualTo(new CliRun(0, "", ""));
  }

  @Test
  void nodesThatHaveFailedAreNotedInTheLogUnlessTheyWereKnown() throws Exception {
    machine.run("scr_list_down_nodes", "--log", "--secs", "60", "--down", "n4");
    assertThat(new LogFile(new PrefixPaths(machine.prefix())).read()).extracting(line -> line.fields().toString())
        .containsExactly("{event=NODE_FAIL, note=n2: Slurm says that it is down, secs=60.000000}",
            "{event=NODE_FAIL, note=n3: no command can be run there, secs=60.000000}");
  }
}
