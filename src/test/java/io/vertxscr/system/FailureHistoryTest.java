package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.client.Output;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: intervals are computed from what has happened, also to earlier runs. Method: a loss of each level, in turn. */
class FailureHistoryTest {
  @TempDir
  Path directory;
  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private TestCluster cluster(String... nodes) throws Exception {
    return new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, true), nodes);
  }

  private interface Loss {
    void happens(TestCluster cluster) throws Exception;
  }

  /** A run that writes a checkpoint, and is then met by something while it writes the next. */
  private static void lost(TestCluster cluster, int step, Loss loss, String... nodes) throws Exception {
    CyclicBarrier both = new CyclicBarrier(nodes.length + 1);
    List<CompletableFuture<Integer>> ranks = cluster.run(nodes).start(scr -> {
      RankProgram.restart(scr, 3);
      RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
      Eventually.holds("step " + step + " flushed", () ->      // which waits where a phase is open
          Files.exists(cluster.prefix().resolve(".scr/scr.dataset." + step + "/summary.scr")));
      Output output = scr.startCheckpoint("step-" + (step + 1));
      both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      if (scr.rank() == 0) {
        output.complete(true);                            // waits for the others, who are gone
      }
      return 0;
    });
    Eventually.holds("all write step " + (step + 1), () -> both.getNumberWaiting() == nodes.length);
    loss.happens(cluster);
    both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
    assertThat(EmbeddedRun.failure(ranks.getFirst())).isInstanceOf(ScrException.class);
  }

  private FailureHistory history(TestCluster cluster) {
    return FailuresFileStore.read(new PrefixPaths(cluster.prefix()));
  }

  private void holds(TestCluster cluster, long process, long node, long prefix) throws Exception {
    Eventually.holds(process + ", " + node + ", " + prefix, () -> {
      FailureHistory history = history(cluster);
      return history.of(Level.PROCESS).failures() == process && history.of(Level.NODE).failures() == node
          && history.of(Level.PREFIX).failures() == prefix;
    });
  }

  @Test
  void failuresAreCountedByWhatHelpedAgainstThemAndOutliveTheCluster() throws Exception {
    try (TestCluster cluster = cluster("n1", "n2", "n3")) {
      lost(cluster, 1, _ -> {}, "n1", "n2", "n3");        // ranks 1 and 2 go without a word
      holds(cluster, 1, 0, 0);
      lost(cluster, 3, c -> c.lose("n3"), "n1", "n2", "n3");
      holds(cluster, 1, 1, 0);
      cluster.nodes().start("n4");
      lost(cluster, 5, c -> {
        c.lose("n2");
        c.lose("n4");
      }, "n1", "n2", "n4");
      cluster.nodes().start("n5");
      cluster.nodes().start("n6");
      assertThat(cluster.restart("n1", "n5", "n6")).isEqualTo(5);
      holds(cluster, 1, 1, 1);
      FailureHistory known = history(cluster);
      assertThat(known.computedUs()).isPositive();
      assertThat(known.of(Level.NODE).costUs().orElseThrow()).isPositive();
      assertThat(known.of(Level.PREFIX).costUs().orElseThrow())
          .as("a flush costs more than none").isGreaterThan(known.of(Level.NODE).costUs().orElseThrow());
      assertThat(known.of(Level.PROCESS).costUs()).isEmpty();
    }
    CliRun run = CliRun.of(Map.of(), "explain", "interval", "--prefix", directory.resolve("prefix"), "--json");
    assertThat(run.exit()).isZero();
    JsonObject numbers = new JsonObject(run.out());
    assertThat(numbers.getInteger("failures")).isEqualTo(3);
    assertThat(numbers.getJsonArray("levels")).hasSize(2);
    assertThat(numbers.getDouble("usedSeconds")).isPositive();
    assertThat(CliRun.of(Map.of(), "explain", "interval", "--prefix", directory.resolve("prefix")).out())
        .contains("level", "node", "prefix", "SCR_CHECKPOINT_OPTIMAL=1 uses", "SCR_FLUSH=");
  }
}
