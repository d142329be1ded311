package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a flipped bit and two lost nodes, one after the other, cost no byte. Each step shows in events, metrics,
 * alerts and on the dashboard. Method: five daemons, a Prometheus and a Chromium without a window. How long after a
 * step each of them shows it is printed; screenshots go to target/dashboard, to be looked at.
 */
@Timeout(300)
class DamageAndLossesIT {
  private static final int FILES = 2;
  private static final int DAEMONS = 5;
  /** The first two ranks are on n1, the next two on n2, and so on; n5 is a spare. */
  private static final int COMPUTING = 4;
  private static final int DAMAGED_RANK = 2;

  @TempDir(cleanup = CleanupMode.ALWAYS)
  private Path directory;

  @BeforeAll
  static void needsChromiumAndPrometheus() {
    assumeTrue(Browser.isInstalled(), "no chromium and chromedriver in /usr/bin: the dashboard is not looked at");
    assumeTrue(Prometheus.isInstalled(), "no prometheus and promtool on the PATH: alerts are not tested");
  }

  /** Who looks on: an operator with a command, one with a browser, a Prometheus. */
  private record Onlookers(DaemonCluster cluster, DaemonProcess leader, Browser browser, Prometheus prometheus) {
    List<JsonObject> events(String type) throws Exception {
      CliRun run = CliRun.of(Map.of(), "events", "--json", "--last", 256, "--socket", leader.socket());
      assertThat(run).as(run.toString()).returns(0, CliRun::exit);
      return run.out().lines().map(JsonObject::new).filter(event -> event.getString("type").equals(type)).toList();
    }

    double metric(String name) throws Exception {
      double sum = 0;
      for (DaemonProcess daemon : cluster.alive()) {
        sum += daemon.http("/metrics").lines()
            .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
      }
      return sum;
    }

    /** Waits until a step of the story has its so many events, and then for all that shows it. */
    Step step(String type, int count) throws Exception {
      Eventually.holds(count + " events " + type, () -> events(type).size() >= count);
      Step step = new Step(type, events(type).get(count - 1).getLong("timeMs"));
      step.shown("events");
      Eventually.holds("the page has them", () -> browser.count("#events li[data-type=" + type + "]") >= count);
      step.shown("page");
      return step;
    }

    /** The same for the loss of a node; it may have come, gone and come again while the cluster was formed. */
    Step left(String node, long sinceMs) throws Exception {
      List<JsonObject> told = new ArrayList<>();
      Eventually.holds("the loss of " + node + " is told", () -> {
        told.addAll(events("node-left").stream().filter(event -> node.equals(event.getString("about"))
            && event.getLong("timeMs") >= sinceMs).toList());
        return !told.isEmpty();
      });
      Step step = new Step("loss of " + node, told.getFirst().getLong("timeMs"));
      step.shown("events");
      String left = String.join(" ", cluster.alive().stream().map(DaemonProcess::name).sorted().toList());
      Eventually.holds("the map has " + left, () -> browser.nodes().equals(left));
      step.shown("page");
      return step;
    }

    void counts(Step step, String metric, int count) throws Exception {
      Eventually.holds(metric + " is " + count, () -> metric(metric) == count);
      step.shown(metric);
    }

    void alerts(Step step, String... names) throws Exception {
      Eventually.holds("only these fire: " + List.of(names), () -> prometheus.firing().equals(Set.of(names)));
      step.shown("alerts " + String.join(" ", names));
    }
  }

  /** @param completeMs when it was complete, as its event says */
  private record Step(String what, long completeMs) {
    void shown(String where) {
      System.out.println(what + ": " + where + " within " + (System.currentTimeMillis() - completeMs) + " ms");
    }
  }

  @Test
  void aFlippedBitAndTwoLostNodesCostNothingAndEachStepShows() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR",
            "SCR_CACHE_SIZE", "2", "SCR_HEAL_SECONDS", "5"));
        Prometheus prometheus = Prometheus.start(directory)) {
      DaemonProcess leader = cluster.start("n1");           // the oldest
      cluster.fillSoon(DAEMONS);
      cluster.awaitReady();
      prometheus.scrape(cluster.alive());
      try (Browser browser = Browser.at(leader)) {
        Onlookers onlookers = new Onlookers(cluster, leader, browser, prometheus);
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<Integer>> ranks = computing(cluster, go);
        onlookers.step("dataset-complete", 2);
        browser.shows("#one .verdict", "safe");
        Eventually.holds("all are scraped", () ->
            prometheus.query("scr_phase_started_total and up == 1").size() == DAEMONS);
        Eventually.holds("nothing is wrong", () -> prometheus.firing().isEmpty());

        flippedBit(onlookers);
        browser.screenshots("damage-repaired", cluster.prefix());

        lose(onlookers, "n4", 1);
        go.countDown();
        for (CompletableFuture<Integer> rank : ranks) {
          assertThat(EmbeddedRun.failure(rank)).as("the loss ends the run").isNotNull();
        }
        browser.screenshots("node-lost", cluster.prefix());
        healed(onlookers, 2);
        browser.screenshots("healed", cluster.prefix());

        lose(onlookers, "n3", 2);
        healed(onlookers, 4);
        browser.screenshots("healed-again", cluster.prefix());

        restarted(onlookers);
        browser.screenshots("restarted", cluster.prefix());
        assertThat(browser.complaints()).isEmpty();
      }
    }
  }

  /** Returns the ranks when they have written two checkpoints; they go on when they may. */
  private static List<CompletableFuture<Integer>> computing(DaemonCluster cluster, CountDownLatch go)
      throws Exception {
    CyclicBarrier written = new CyclicBarrier(COMPUTING * 2 + 1);
    List<CompletableFuture<Integer>> ranks =
        SocketRun.twoOnEach(cluster.prefix(), cluster.alive().subList(0, COMPUTING)).start(scr -> {
          RankProgram.checkpoint(scr, cluster.prefix(), RankProgram.restart(scr, FILES) + 1, FILES);
          RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
          written.await();
          go.await();
          RankProgram.checkpoint(scr, cluster.prefix(), 3, FILES);
          return 3;
        });
    ranks.forEach(rank -> rank.whenComplete((_, failure) -> {
      if (failure != null) {
        written.reset();                                  // nobody waits for a rank that has failed
      }
    }));
    try {
      written.await();
    } catch (BrokenBarrierException e) {
      throw new AssertionError("ranks have failed: " + ranks.stream()
          .filter(CompletableFuture::isCompletedExceptionally).map(CompletableFuture::exceptionNow).toList(), e);
    }
    return ranks;
  }

  /** While the run computes. */
  private static void flippedBit(Onlookers onlookers) throws Exception {
    byte[] good = RankProgram.bytes(DAMAGED_RANK, 2, 0);
    Path file = cached(onlookers.cluster().directory().resolve("k/u/scr.1/n2"), good);
    byte[] bad = good.clone();
    bad[bad.length / 2] ^= 0x10;
    Files.write(file, bad);
    CliRun scrub = CliRun.of(Map.of(), "scrub", "--now", "--socket", onlookers.leader().socket());
    assertThat(scrub).as(scrub.toString()).returns(0, CliRun::exit);
    Step found = onlookers.step("damage-found", 1);
    onlookers.counts(found, "scr_scrub_found_total", 1);
    Step repaired = onlookers.step("damage-repaired", 1);
    assertThat(Files.readAllBytes(file)).isEqualTo(good);
    onlookers.counts(repaired, "scr_scrub_repaired_total", 1);
    onlookers.alerts(found, "ScrScrubFound");
  }

  private static Path cached(Path cache, byte[] content) throws IOException {
    try (Stream<Path> files = Files.walk(cache)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Arrays.equals(Files.readAllBytes(file), content)) {
          return file;
        }
      }
    }
    throw new AssertionError("no file in " + cache + " has what the rank wrote");
  }

  /** With its storage. */
  private static void lose(Onlookers onlookers, String node, int losses) throws Exception {
    long sinceMs = System.currentTimeMillis();
    onlookers.cluster().kill(node);
    onlookers.cluster().wipe(node);
    Step left = onlookers.left(node, sinceMs);
    onlookers.counts(left, "scr_cluster_nodes", (DAEMONS - losses) * (DAEMONS - losses));
    onlookers.alerts(left, "ScrDaemonDown", "ScrRunNodesLost", "ScrScrubFound");
  }

  /** To full protection, without a run. */
  private static void healed(Onlookers onlookers, int datasets) throws Exception {
    Step healed = onlookers.step("heal-done", datasets);
    onlookers.counts(healed, "scr_heal_done_total", datasets);
    try (StatusOf status = new StatusOf(onlookers.leader())) {
      Eventually.holds("the status says full", () -> status.now().getJsonObject("cluster").getJsonArray("datasets")
          .stream().map(dataset -> ((JsonObject) dataset).getString("protection")).toList()
          .equals(List.of("full", "full")));
    }
    onlookers.browser().shows("#one .verdict", "safe");
    healed.shown("page says safe");
    onlookers.prometheus().scrape(onlookers.cluster().alive());
    onlookers.alerts(healed, "ScrRunNodesLost", "ScrScrubFound");
  }

  private static void restarted(Onlookers onlookers) throws Exception {
    DaemonCluster cluster = onlookers.cluster();
    List<Path> sockets = new ArrayList<>();
    for (DaemonProcess daemon : cluster.alive()) {
      sockets.addAll(Collections.nCopies(3, daemon.socket()));
    }
    assertThat(EmbeddedRun.all(new SocketRun(cluster.prefix(), sockets.subList(0, COMPUTING * 2)).start(scr -> {
      int step = RankProgram.restart(scr, FILES);           // compares every byte
      RankProgram.checkpoint(scr, cluster.prefix(), step + 1, FILES);
      scr.finish();
      return step;
    }))).containsOnly(2);
    Step restored = onlookers.step("restored", 1);
    onlookers.counts(restored, "scr_restart_ranks_total", COMPUTING * 2);
    onlookers.alerts(restored, "ScrScrubFound");
    onlookers.browser().shows("#one .verdict", "safe");
  }
}
