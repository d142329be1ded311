package io.vertxscr.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.examples.heat.HeatProblem;
import io.vertxscr.model.Scheme;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: on real nodes of this process the demo's result is identical, by a partner and after a flush. */
class EmbeddedDemoTest {
  private static final HeatProblem PROBLEM = new HeatProblem(256, 60, 10);

  @TempDir
  private Path directory;

  @Test
  void aNodeIsLostAndItsPartnerHasTheCopies() throws Exception {
    String told = identical(Scheme.PARTNER, 2, 1);

    assertThat(told).contains("killing node2", "restarted from checkpoint heat.", "flushed: ");
  }

  @Test
  void whatTheCachesCannotMakeGoodComesFromThePrefixDirectory() throws Exception {
    String told = identical(Scheme.XOR, 1, 2);

    assertThat(told).contains("killing node2 node3", "restarted from checkpoint heat.");
  }

  /** Returns what the demo tells. */
  private String identical(Scheme scheme, int flushEvery, int lost) throws Exception {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    DemoPlan plan = DemoPlan.of(8, 4, lost, PROBLEM, directory);
    try (DemoCluster cluster = EmbeddedDemoCluster.create(plan, scheme, flushEvery)) {
      DemoVerdict verdict = DemoScenario.run(cluster, plan,
          new DemoProgress(new PrintStream(told, true, StandardCharsets.UTF_8), false));
      assertThat(verdict).as(() -> told.toString(StandardCharsets.UTF_8)).isEqualTo(new DemoVerdict(true, "identical"));
    }
    return told.toString(StandardCharsets.UTF_8);
  }
}
