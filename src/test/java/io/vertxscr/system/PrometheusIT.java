package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Scr;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what operators are given for Prometheus and Grafana works with a real Prometheus. Method: promtool, on virtual
 * time, for each alert; and real daemons, of which one is killed, with the waiting times of the rules cut to a second.
 */
class PrometheusIT {
  private static final int FILES = 2;
  private static final int DAEMONS = 3;
  private static final Path HOME = Path.of(System.getProperty("scr.home", "."));

  @TempDir(cleanup = CleanupMode.ALWAYS)
  private Path directory;

  @BeforeAll
  static void needsPrometheus() {
    assumeTrue(Prometheus.isInstalled(), "no prometheus and promtool on the PATH: rules and board are not tested");
  }

  @Test
  void theSampleOfAConfigurationIsAccepted() throws Exception {
    assertThat(Prometheus.promtool("check", "config", Prometheus.install(directory).toString())).startsWith("0 ");
  }

  @Test
  void eachAlertFiresAndEnds() throws Exception {
    assertThat(Prometheus.promtool("test", "rules",
        HOME.resolve("src/test/resources/prometheus/alerts-test.yml").toString())).startsWith("0 ");
  }

  @Test
  void alertsFireAtALossAndEndBehindTheRestartAndTheBoardShowsBoth() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "1", "SCR_COPY_TYPE", "XOR"));
        Prometheus prometheus = Prometheus.start(directory)) {
      cluster.fill(DAEMONS);
      prometheus.scrape(cluster.alive());
      CountDownLatch go = new CountDownLatch(1);
      CyclicBarrier written = new CyclicBarrier(2 * DAEMONS + 1);
      List<CompletableFuture<Integer>> ranks = SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), RankProgram.restart(scr, FILES) + 1, FILES);
        written.await();
        go.await();
        RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
        return 2;
      });
      written.await();
      Eventually.holds("all are scraped", () ->
          prometheus.query("scr_phase_started_total and up == 1").size() == DAEMONS);
      Eventually.holds("free space is known", () ->
          prometheus.query("scr_cache_free_ratio > 0 and scr_cache_free_ratio <= 1").size() == DAEMONS);
      Eventually.holds("it is flushed: a flush that is left over rebuilds before the restart can", () ->
          !prometheus.query("scr_flush_seconds_count{outcome='done'} > 0").isEmpty());
      Eventually.holds("nothing is wrong", () -> prometheus.firing().isEmpty());

      DaemonProcess victim = cluster.alive().getLast();
      cluster.kill(victim.name());
      Eventually.holds("alerts of the loss", () ->
          prometheus.firing().containsAll(List.of("ScrDaemonDown", "ScrRunNodesLost")));
      go.countDown();
      for (CompletableFuture<Integer> rank : ranks) {
        assertThat(EmbeddedRun.failure(rank)).as("the loss ends the run").isNotNull();
      }

      cluster.wipe(victim.name());
      cluster.fill(DAEMONS);
      prometheus.scrape(cluster.alive());
      assertThat(EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(
          scr -> restartAndGoOn(scr, cluster.prefix())))).containsOnly(1);
      Eventually.holds("the alerts have ended", () -> prometheus.firing().isEmpty());
      Eventually.holds("the restart is scraped", () -> !prometheus.query("scr_restart_ranks_total > 0").isEmpty());
      assertThat(prometheus.query("scr_restart_ranks_total{way='rebuilt'} > 0").size())
          .as(() -> "ranks rebuilt, of " + ways(prometheus) + cluster.alive().getFirst().output()).isPositive();
      Eventually.holds("the board has something to show", () -> emptyPanels(prometheus).isEmpty());
    }
  }

  /** How ranks were restored, on all nodes, for a failure's message. */
  private static String ways(Prometheus prometheus) {
    try {
      return prometheus.query("scr_restart_ranks_total").encodePrettily();
    } catch (Exception e) {
      return e.toString();
    }
  }

  private static int restartAndGoOn(Scr scr, Path prefix) throws Exception {
    int step = RankProgram.restart(scr, FILES);
    RankProgram.checkpoint(scr, prefix, step + 1, FILES);
    scr.finish();
    return step;
  }

  /** Returns the titles of the panels without data; fails where a query is refused. */
  private static List<String> emptyPanels(Prometheus prometheus) throws Exception {
    JsonArray panels = new JsonObject(Files.readString(HOME.resolve("conf/grafana/vertx-scr.json")))
        .getJsonArray("panels");
    assertThat(panels.size()).isGreaterThan(10);
    List<String> empty = new ArrayList<>();
    for (Object each : panels) {
      JsonObject panel = (JsonObject) each;
      int series = 0;
      for (Object target : panel.getJsonArray("targets", new JsonArray())) {
        series += prometheus.query(((JsonObject) target).getString("expr")
            .replace("$allocation", "4711").replace("$__rate_interval", "1m")).size();
      }
      if (series == 0 && panel.containsKey("targets")) {
        empty.add(panel.getString("title"));
      }
    }
    return empty;
  }
}
