package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: however {@code scr run} is ended, its daemons end. Method: the daemons are stubs ({@link StubMachine}). */
@Timeout(120)
class RunSignalsIT {
  @TempDir
  private Path directory;

  private static void eventually(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(20);                                   // polls other processes
    }
  }

  private Process running(StubMachine machine) throws Exception {
    machine.command("program", "trap 'touch \"$STATE/told\"; exit 3' TERM\ntouch \"$STATE/running\"\n"
        + "while [ -e \"$STATE/running\" ] && [ ! -e \"$STATE/end\" ]; do sleep 0.05; done\n");
    Process run = machine.start(directory.resolve("log"), "run", "--scr", directory.resolve("bin/scr").toString(),
        "--nodes", "2", "program");
    eventually(() -> machine.has("running") || !run.isAlive());
    assertThat(run.isAlive()).as(Files.readString(directory.resolve("log"))).isTrue();
    return run;
  }

  @Test
  void atSigtermTheProgramIsAskedToEndAndWhatTheCachesHoldIsScavenged() throws Exception {
    StubMachine machine = new StubMachine(directory);
    Process run = running(machine);
    run.destroy();
    assertThat(run.waitFor()).isEqualTo(143);
    assertThat(machine.has("told")).isTrue();
    assertThat(machine.has("alive-node1") || machine.has("alive-node2")).isFalse();
    assertThat(machine.called("scr")).last().asString().startsWith("scavenge ");
  }

  @Test
  void atSigkillTheDaemonsSeeTheEndOfTheirPipe() throws Exception {
    StubMachine machine = new StubMachine(directory);
    Process run = running(machine);
    run.destroyForcibly().waitFor();
    machine.touch("end");                                 // the program is nobody's any more: that of the test ends
    eventually(() -> !machine.has("alive-node1") && !machine.has("alive-node2"));
  }
}
