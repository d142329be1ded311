package io.vertxscr.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.examples.heat.HeatProblem;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the demo reports {@code identical} after a tolerated loss, a refusal after a fatal one. */
class DemoScenarioTest {
  private static final List<String> NODES = List.of("n0", "n1", "n2", "n3");
  private static final HeatProblem PROBLEM = new HeatProblem(64, 1000, 100);

  @TempDir private Path directory;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @Test
  void theLossOfAnyNodeEndsWithTheIdenticalField() throws Exception {
    for (String victim : NODES) {
      output.reset();
      Path place = directory.resolve(victim);
      try (FakeCluster cluster = new FakeCluster(place.resolve("cluster"), 300, true)) {
        DemoVerdict verdict = DemoScenario.run(cluster, plan(victim, place), progress());
        assertThat(verdict).as(text()).isEqualTo(new DemoVerdict(true, "identical"));
        assertThat(cluster.members()).contains("n4").doesNotContain(victim);
      }
      assertThat(text()).contains("killing " + victim, "restarted from checkpoint heat.", "prefix directory: ", "GB/s")
          .doesNotContain("\u001b");
      assertThat(text().lines().toList().getLast()).endsWith("identical");
      assertThat(told()).hasSize(6).doesNotContainAnyElementsOf(plan(victim, place).victimRanks());
      assertThat(place.resolve("work/final.png")).isNotEmptyFile();
    }
    assertNothingRuns();
  }

  @Test
  void aLossThatCannotBeMadeGoodIsNotCalledASuccess() throws Exception {
    try (FakeCluster cluster = new FakeCluster(directory.resolve("cluster"), 300, false)) {
      assertThatThrownBy(() -> DemoScenario.run(cluster, plan("n2", directory), progress()))
          .isInstanceOf(DemoException.class)
          .hasMessageContaining("no checkpoint could be restored");
    }
    assertThat(text()).doesNotContain("identical");
    assertNothingRuns();
  }

  @Test
  void aNodeThatIsMissingFailsTheDemoAtOnce() throws Exception {
    try (FakeCluster cluster = new FakeCluster(directory.resolve("cluster"), 300, true) {
      @Override
      public synchronized void startNodes(List<String> nodes) {
        super.startNodes(nodes.subList(0, nodes.size() - 1));
      }
    }) {
      assertThatThrownBy(() -> DemoScenario.run(cluster, plan("n2", directory), progress()))
          .isInstanceOf(DemoException.class).hasMessageContaining("ended before checkpoint heat.200");
    }
    assertNothingRuns();
  }

  private static void assertNothingRuns() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("rank-")) {
        assertThat(thread.join(Duration.ofSeconds(5))).as(thread.getName()).isTrue();
      }
    }
  }

  private static DemoPlan plan(String victim, Path directory) {
    return new DemoPlan(8, NODES, List.of(victim), List.of("n4"), 2, PROBLEM, directory.resolve("work"));
  }

  private DemoProgress progress() {
    return new DemoProgress(new PrintStream(output, true, StandardCharsets.UTF_8), false);
  }

  private List<Integer> told() {
    return Pattern.compile("told ranks \\[([0-9, ]+)]").matcher(text()).results()
        .flatMap(result -> Stream.of(result.group(1).split(", "))).map(Integer::valueOf).toList();
  }

  private String text() {
    return output.toString(StandardCharsets.UTF_8);
  }
}
