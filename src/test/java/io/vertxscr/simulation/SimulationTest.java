package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: faults within the tolerance lose no checkpoint, show no wrong one, leave no call unanswered.
 *
 * <p>Method: a few seeds of each profile of docs/simulation.md, each a cluster in virtual time; the campaigns are
 * {@code load-tests/run simulate}. Replay one seed with -Dseed=N; a failure prints its shortest story.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class SimulationTest {
  private static final long FIRST = Long.getLong("seed", 1);
  private static final int SEEDS = Integer.getInteger("seeds", Long.getLong("seed") == null ? 12 : 1);
  private static final int STEPS = 6;
  /** In another process, which has nothing compiled. */
  private static final int REPLAYED = Math.min(4, SEEDS);

  @BeforeAll
  static void quiet() {
    SimulateMain.setLogging(false);
  }

  @AfterAll
  static void loud() {
    SimulateMain.setLogging(true);
  }

  @ParameterizedTest
  @EnumSource(Profile.class)
  void noFaultWithinTheToleranceLosesACheckpoint(Profile profile) {
    List<String> stories = new ArrayList<>();
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      Outcome outcome = Simulation.run(Scenario.of(seed, profile), false);
      if (outcome.failed() && KnownDefect.of(outcome).isEmpty()) {
        stories.add(Shrinker.shrink(outcome).story() + "  as drawn: " + outcome.story());
      }
    }
    assertThat(stories).isEmpty();
  }

  /** Some steps of many: all of them take minutes for each kind. */
  @ParameterizedTest
  @MethodSource("atSteps")
  void noFaultAtAStepLosesACheckpoint(Trouble.Kind kind) {
    List<String> stories = new ArrayList<>();
    Sweep sweep = Sweep.of(FIRST + kind.ordinal(), Profile.NONE, kind);
    int stride = Math.max(1, sweep.size() / STEPS);
    for (int step = (int) (FIRST % stride); step < sweep.size(); step += stride) {
      Outcome outcome = Simulation.run(sweep.at(step), false);
      if (outcome.failed()) {
        stories.add("step " + step + " of " + outcome.story());
      }
    }
    assertThat(stories).isEmpty();
  }

  static List<Trouble.Kind> atSteps() {
    return Sweep.KINDS;
  }

  @ParameterizedTest
  @EnumSource(Profile.class)
  void aSeedReplaysToTheByte(Profile profile) {
    Outcome first = Simulation.run(Scenario.of(FIRST, profile), true);
    Outcome second = Simulation.run(Scenario.of(FIRST, profile), true);
    assertThat(second.trace()).isEqualTo(first.trace()).isNotEmpty();
    assertThat(second.traceHash()).isEqualTo(first.traceHash());
  }

  /** Sets and maps of the JDK that cannot change have another order in each process. */
  @Test
  void aSeedReplaysInAnotherProcess(@TempDir Path directory) throws Exception {
    Path hashes = directory.resolve("hashes");
    Path output = directory.resolve("output");
    Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx512m", "-XX:TieredStopAtLevel=1", "--add-modules=jdk.incubator.vector",
        "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
        SimulateMain.class.getName(), "--faults", "all", "--first", "" + FIRST, "--seeds", "" + REPLAYED,
        "--hashes", hashes.toString())
        .redirectErrorStream(true).redirectOutput(output.toFile()).start();
    List<String> here = LongStream.range(FIRST, FIRST + REPLAYED)
        .mapToObj(seed -> seed + " " + Long.toHexString(
            Simulation.run(Scenario.of(seed, Profile.ALL), false).traceHash())).toList();
    assertThat(other.waitFor()).as(Files.readString(output)).isZero();
    assertThat(Files.readAllLines(hashes)).isEqualTo(here);
  }
}
