package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;

/**
 * Goal: the dashboard shows what {@code scr status --json} says, through a loss. It acts for those who may. Method:
 * daemons and a Chromium without a window; screenshots go to target/dashboard, to be looked at. What follows a loss:
 * {@link DamageAndLossesIT}.
 */
@Timeout(180)
class DashboardIT {
  private static final int FILES = 2;
  private static final int DAEMONS = 4;
  private static final String TOKEN = "a.token.for.those.who.act";

  @BeforeAll
  static void needsChromium() {
    assumeTrue(Browser.isInstalled(), "no chromium and chromedriver in /usr/bin: the dashboard is not looked at");
  }

  private static String rows(JsonObject status) {
    JsonArray datasets = status.getJsonObject("cluster").getJsonArray("datasets");
    return String.join("; ", datasets.stream().map(JsonObject.class::cast).map(dataset -> dataset.getInteger("dataset")
        + " " + dataset.getString("state") + " " + dataset.getString("flush")).toList());
  }

  /** The page shows the same as the daemon says. */
  private static void same(Browser browser, StatusOf status) throws Exception {
    String[] seen = {"", ""};
    try {
      Eventually.holds("the page shows the status", () -> {
        seen[0] = browser.rows();
        seen[1] = rows(status.now());
        return seen[0].equals(seen[1]);
      });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": page " + seen[0] + ", " + browser.made() + "; status " + seen[1], e);
    }
    JsonObject now = status.now();
    Eventually.holds("the map has the nodes", () -> browser.nodes()
        .equals(String.join(" ", now.getJsonArray("nodes").stream().map(String::valueOf).sorted().toList())));
  }

  @Test
  void itShowsTheStatusThroughALoss() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(
        Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"))) {
      cluster.fillSoon(DAEMONS);
      cluster.awaitReady();
      DaemonProcess asked = cluster.alive().getFirst();
      try (Browser browser = Browser.at(asked); StatusOf status = new StatusOf(asked)) {
        browser.shows("#live", "live");
        CountDownLatch go = new CountDownLatch(1);
        CyclicBarrier written = new CyclicBarrier(DAEMONS * 2 + 1);
        List<CompletableFuture<Integer>> ranks = SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(scr -> {
          RankProgram.checkpoint(scr, cluster.prefix(), RankProgram.restart(scr, FILES) + 1, FILES);
          RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
          written.await();
          go.await();
          RankProgram.checkpoint(scr, cluster.prefix(), 3, FILES);
          return 3;
        });
        written.await();
        same(browser, status);
        browser.shows("#one .verdict", "safe");
        browser.shows("#drains", "the run has ranks there and would end: halt it first");
        browser.screenshots("computing", cluster.prefix());

        String victim = cluster.alive().getLast().name();
        cluster.kill(victim);
        go.countDown();
        for (CompletableFuture<Integer> rank : ranks) {
          assertThat(EmbeddedRun.failure(rank)).as("the loss ends the run").isNotNull();
        }
        same(browser, status);
        browser.shows("#one .verdict", "any node costs work");
        browser.shows("#datasets tbody", "degraded");
        browser.shows("#attention", "the run is over");
        browser.shows("#events", "node-left");
        browser.click(".cell[data-node='" + cluster.alive().get(1).name() + "']");
        browser.shows("#answer", "what is left in the caches does not suffice");
        browser.screenshots("degraded", cluster.prefix());
        assertThat(browser.complaints()).isEmpty();
      }
    }
  }

  private static Path token(DaemonCluster cluster) throws IOException {
    Path file = Files.createFile(cluster.directory().resolve("token"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, TOKEN);
  }

  @Test
  void withTheTokenOneMayActAndWithoutItOneSeesNothing() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "SINGLE"))) {
      String file = token(cluster).toString();
      DaemonProcess daemon = cluster.start("n1", "--http-token-file", file, "--http-action-token-file", file);
      EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        scr.finish();
        return 1;
      }));
      try (Browser browser = Browser.at(daemon); StatusOf status = new StatusOf(daemon)) {
        browser.shows("#live", "this daemon asks for a token");
        assertThat(browser.rows()).isEmpty();
        browser.type("#token", "not.the.right.token", Keys.ENTER);
        browser.shows("#live", "the token is not the one of this daemon");
        browser.type("#token", TOKEN, Keys.ENTER);
        same(browser, status);
        assertThat(browser.address()).as("never in an address").doesNotContain(TOKEN);
        browser.shows("#one .verdict", "any node costs work");
        browser.click("[data-action=flush]");
        browser.click("#confirm-yes");
        Eventually.holds("it is flushed", () -> rows(status.now()).equals("1 SINGLE DONE"));
        same(browser, status);
        browser.click("[data-action=drop]");
        browser.click("#confirm-yes");
        Eventually.holds("it is dropped", () -> rows(status.now()).isEmpty());
        same(browser, status);
      }
    }
  }

  @Test
  void aNodeThatIsDrainedOnThePageIsLostWithItsStorageAndNothingElseIs() throws Exception {
    try (DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "PARTNER"))) {
      DaemonProcess asked = cluster.start("n1", "--http-action-token-file", token(cluster).toString());
      cluster.startSoon("n2");
      cluster.awaitReady();
      EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        scr.finish();
        return 1;
      }));
      try (Browser browser = Browser.at(asked)) {
        browser.shows("#live", "live");
        assertThat(browser.count("[data-action=drain]")).as("not without the token").isZero();
        browser.click("#token-button");
        browser.type("#token", TOKEN, Keys.ENTER);
        browser.click(".cell[data-node=n2]");
        browser.click("#answer[data-nodes=n2] [data-action=drain]");
        browser.click("#confirm-yes");
        browser.shows("#acted", "cannot be held without n2");   // a partner is needed
        assertThat(browser.count("[data-drain]")).isZero();

        DaemonProcess spare = cluster.startSoon("n3").awaitReady();
        browser.click(".cell[data-node=n3]");                // selects both
        browser.click(".cell[data-node=n2]");                // n3 alone
        browser.click("#answer[data-nodes=n3] [data-action=drain]");
        browser.click("#confirm-yes");
        browser.shows("#drains dt[data-drain=DRAINED]", "n3");
        browser.click("#answer [data-action=cancel-drain]");
        browser.click("#confirm-yes");
        browser.shows("#acted", "cancel drain n3: done");
        Eventually.holds("no node is drained", () -> browser.count("[data-drain]") == 0);

        browser.click(".cell[data-node=n3]");
        browser.click(".cell[data-node=n2]");
        browser.click("#answer[data-nodes=n2] [data-action=drain]");
        browser.click("#confirm-yes");
        browser.shows("#drains dt[data-drain=DRAINED]", "n2");
        browser.shows("#events", "drain-done");
        browser.screenshots("drained", cluster.prefix());

        cluster.kill("n2");
        cluster.wipe("n2");
        Eventually.holds("it has gone", () -> browser.nodes().equals("n1 n3"));
        browser.shows("#one .verdict", "safe");
        assertThat(EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), List.of(asked, spare)).start(scr -> {
          int step = RankProgram.restart(scr, FILES);         // compares every byte
          scr.finish();
          return step;
        }))).containsOnly(1);
        assertThat(browser.complaints()).as("of the one that was refused").singleElement().asString()
            .contains("/dashboard/act", "409");
      }
    }
  }
}
