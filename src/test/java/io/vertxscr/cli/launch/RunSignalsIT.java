package io.vertxscr.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: however {@code scr run} is ended, its daemons end. Method: the daemons are stubs ({@link StubMachine}). */
@Timeout(120)
class RunSignalsIT {
  @TempDir
  private Path directory;

  private Process running(StubMachine machine) throws Exception {
    machine.command("program", "trap 'touch \"$STATE/told\"; exit 3' TERM\ntouch \"$STATE/running\"\n"
        + "while [ -e \"$STATE/running\" ] && [ ! -e \"$STATE/end\" ]; do sleep 0.05; done\n");
    Process run = machine.start(directory.resolve("log"), "run", "--scr", directory.resolve("bin/scr").toString(),
        "--nodes", "2", "program");
    Eventually.holds("the program runs", () -> machine.has("running") || !run.isAlive());
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
    assertThat(machine.has("ended-from-outside")).as("the daemons hear that it is no failure").isTrue();
    assertThat(machine.has("alive-node1") || machine.has("alive-node2")).isFalse();
    assertThat(machine.called("scr")).last().asString().startsWith("scavenge ");
  }

  /** Method: megabytes of noise come in, and go out by both outputs in turn; then the exit codes. */
  @Test
  void standardInputOutputAndErrorAndTheExitCodeAreThoseOfTheProgram() throws Exception {
    byte[] noise = new byte[3 << 20];
    new Random(7).nextBytes(noise);
    Path in = Files.write(directory.resolve("noise"), noise);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    StubMachine machine = new StubMachine(directory);
    machine.command("program", "dd bs=65536 count=1 iflag=fullblock 2>/dev/null\n"
        + "dd bs=65536 count=1 iflag=fullblock >&2 2>/dev/null\nprintf 'no newline' >&2\ncat\nexit $1\n");
    machine.command("killed", "printf 'last words'\nkill -9 $$\n");
    Process run = machine.start(in, out, err, "run", "--scr", directory.resolve("bin/scr").toString(),
        "--nodes", "1", "--no-scavenge", "program", "42");
    assertThat(run.waitFor()).isEqualTo(42);
    String begins = "scr run: run 1 begins on 1 node: node1\n";
    byte[] expectedOut = new byte[noise.length - 65536];
    System.arraycopy(noise, 0, expectedOut, 0, 65536);
    System.arraycopy(noise, 131072, expectedOut, 65536, noise.length - 131072);
    assertThat(Files.readAllBytes(out)).isEqualTo(expectedOut);
    byte[] said = Files.readAllBytes(err);
    int own = begins.length();
    assertThat(new String(said, 0, own, UTF_8)).isEqualTo(begins);
    assertThat(Arrays.copyOfRange(said, own, own + 65536)).isEqualTo(Arrays.copyOfRange(noise, 65536, 131072));
    assertThat(new String(said, own + 65536, said.length - own - 65536, UTF_8)).isEqualTo("no newline");

    assertThat(machine.start(in, out, err, "run", "--scr", directory.resolve("bin/scr").toString(),
        "--nodes", "1", "--no-scavenge", "killed").waitFor()).isEqualTo(137);
    assertThat(out).hasContent("last words");
  }

  @Test
  void atSigkillTheDaemonsSeeTheEndOfTheirPipe() throws Exception {
    StubMachine machine = new StubMachine(directory);
    Process run = running(machine);
    run.destroyForcibly().waitFor();
    machine.touch("end");                                 // the program is nobody's any more: that of the test ends
    Eventually.holds("the daemons end", () -> !machine.has("alive-node1") && !machine.has("alive-node2"));
  }
}
