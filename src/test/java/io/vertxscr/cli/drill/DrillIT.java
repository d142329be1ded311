package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.JsonPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: with real processes, a node that is lost with its storage costs a few steps, and no byte. What cannot be
 * restored is a failed drill. Nothing is left in either case, nor where the drill is stopped.
 */
class DrillIT {
  @TempDir
  private Path directory;

  private record Ran(int exit, String out, String err) {}

  @Test
  void aNodeIsLostWithItsCacheAndEveryByteIsVerified() throws Exception {
    Path junit = directory.resolve("junit.xml");
    Ran ran = drill("--lose-cache", "--kill-node", "node2", "--seed", "5", "--bytes", "500001", "--json",
        "--junit", junit.toString());

    assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    JsonObject json = new JsonObject(ran.out());
    new JsonPage("scr drill").check(json.getMap());
    assertThat(json.getBoolean("passed")).isTrue();
    assertThat(json.getLong("verifiedBytes")).isEqualTo(4 * 500_033L);
    assertThat(json.getJsonObject("loss").getJsonArray("nodes").encode()).isEqualTo("[\"node2\"]");
    JsonObject steps = json.getJsonObject("steps");
    assertThat(steps.getInteger("checkpoint")).isGreaterThanOrEqualTo(10);
    assertThat(steps.getInteger("restored")).isGreaterThanOrEqualTo(steps.getInteger("checkpoint"));
    assertThat(json.getInteger("rpoSteps")).isNotNegative()
        .isEqualTo(steps.getInteger("reached") - steps.getInteger("restored"));
    JsonObject seconds = json.getJsonObject("seconds");
    double before = 0;
    for (String field : List.of("told", "together", "started", "restored", "verified", "firstStep", "protected")) {
      assertThat(seconds.getDouble(field)).as(field).isGreaterThanOrEqualTo(before);
      before = seconds.getDouble(field);
    }
    assertThat(seconds.getDouble("detected")).isLessThan(seconds.getDouble("together"));
    assertThat(json.getDouble("rtoSeconds")).isEqualTo(seconds.getDouble("firstStep"));
    assertThat(Files.readString(junit)).contains("failures=\"0\"", "skipped=\"0\"");
    assertNothingIsLeft();
  }

  @Test
  @EnabledIfSystemProperty(named = "scr.long", matches = "true")
  void moreThanTheRedundancyHoldsIsAFailedDrill() throws Exception {
    Ran ran = drill("--lose-cache", "--kill-node", "node2,node3", "--bytes", "1000");

    assertThat(ran.exit()).as(ran.out() + ran.err()).isEqualTo(1);
    assertThat(ran.out()).contains("FAILED     ").contains("there is no checkpoint to restart from")
        .contains("failed     ");
    assertNothingIsLeft();
  }

  /** Daemons, ranks and the restart go on without it: after half a minute, in which they would rather have it. */
  @Test
  @EnabledIfSystemProperty(named = "scr.long", matches = "true")
  void thePrefixDirectoryHangsFromTheLossOn() throws Exception {
    assumeTrue(HangingMount.trouble(System.getenv("PATH")) == null, "no bindfs, or no FUSE");
    Path logs = directory.resolve("logs");
    Ran ran = drill("--hang-prefix", "3", "--kill-node", "node3", "--lose-cache", "--bytes", "1000", "--json",
        "--logs", logs.toString());

    assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    JsonObject json = new JsonObject(ran.out());
    new JsonPage("scr drill").check(json.getMap());
    assertThat(json.getJsonArray("checks").encode()).contains("\"name\":\"prefix\",\"result\":\"PASSED\"");
    JsonObject seconds = json.getJsonObject("seconds");
    assertThat(seconds.getDouble("answered")).isGreaterThanOrEqualTo(3)
        .isGreaterThanOrEqualTo(seconds.getDouble("protected"));
    assertThat(logs).isDirectoryRecursivelyContaining(log -> said(log).contains(" is in the prefix directory"));
    assertNothingIsLeft();
  }

  /** A spare takes the place of a daemon that is stopped; then it finds the others, and the run ends well. */
  @Test
  @EnabledIfSystemProperty(named = "scr.long", matches = "true")
  void aNodeThatHungComesBackAfterTheRestart() throws Exception {
    Ran ran = drill("--hide-node", "node1", "--bytes", "1000", "--json");

    assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    JsonObject json = new JsonObject(ran.out());
    new JsonPage("scr drill").check(json.getMap());
    assertThat(json.getJsonArray("checks").encode()).contains("\"name\":\"return\",\"result\":\"PASSED\"");
    JsonObject seconds = json.getJsonObject("seconds");
    assertThat(seconds.getDouble("returned")).isGreaterThanOrEqualTo(seconds.getDouble("protected"));
    assertNothingIsLeft();
  }

  @Test
  void aDrillThatIsStoppedLeavesNothing() throws Exception {
    try (DrillProcess drill = DrillProcess.start(directory, "--step-ms", "1000")) {
      drill.untilItSays("run 1: ");
      drill.process().destroy();
      drill.exit();
    }
    assertNothingIsLeft();
  }

  private Ran drill(String... options) throws Exception {
    try (DrillProcess drill = DrillProcess.start(directory, options)) {
      return new Ran(drill.exit(), drill.output(), drill.errors());
    }
  }

  private static String said(Path log) {
    try {
      return Files.isRegularFile(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Neither a process nor a directory of the drill. */
  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(DrillProcess.scratch(directory));
        Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("scr-drill"))).isEmpty();
      String mine = directory.toString();
      assertThat(all.filter(p -> p.info().commandLine().orElse("").contains(mine))
          .filter(p -> p.pid() != ProcessHandle.current().pid())).isEmpty();
    }
  }
}
