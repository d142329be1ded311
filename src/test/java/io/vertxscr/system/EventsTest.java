package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.config.Settings;
import io.vertxscr.metrics.Metrics;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: events on the bus cover a run completely, and the meters agree. Method: one of nearly everything. */
class EventsTest {
  private static final int FILES = 2;

  @TempDir
  Path directory;
  private final Metrics metrics = new Metrics();
  private final BlockingQueue<JsonObject> events = new LinkedBlockingQueue<>();
  private final List<JsonObject> progress = new CopyOnWriteArrayList<>();
  private Vertx vertx;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, message -> {
      // Nodes delete in the background, in no order.
      String type = message.body().getString("type");
      if (type.endsWith("-progress")) {
        progress.add(message.body());
      } else if (!List.of("evicted", "flush-started").contains(type)) {
        events.add(message.body());
      }
    });
  }

  @AfterEach
  void close() {
    vertx.close().await();
    metrics.close();
  }

  /** Flushes while complete-output waits, so that the order is one. */
  private Settings settings() {
    return TestSettings.in(directory, Map.of("SCR_CACHE_SIZE", "2", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"));
  }

  @Test
  void aRunCanBeFollowedOnTheBusAndInTheMeters() throws Exception {
    Path prefix = Files.createDirectories(directory.resolve("prefix"));
    try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings(), true, metrics.observer())) {
      List.of("n1", "n2", "n3").forEach(cluster::start);
      EmbeddedRun.all(new EmbeddedRun(cluster, prefix, List.of("n1", "n2", "n3")).start(scr -> write(scr, prefix)));
      assertThat(untilRunIsOver()).extracting(EventsTest::inShort).containsExactly(
          "node-joined 0", "node-joined 0", "run-begun 0", "phase-started 1", "dataset-complete 1", "flush-done 1",
          "phase-started 2", "dataset-discarded 2", "phase-started 3", "dataset-complete 3", "flush-done 3",
          "run-over 0");

      cluster.kill("n3");
      cluster.start("n4");
      EmbeddedRun.all(new EmbeddedRun(cluster, prefix, List.of("n1", "n2", "n4")).start(scr -> {
        assertThat(RankProgram.restart(scr, FILES)).isEqualTo(3);
        scr.finish();
        return 0;
      }));
      List<JsonObject> second = untilRunIsOver();
      // The application does not wait for the protection of what it read, nor that for the end of the run: of the older
      // dataset it ends with the run, or before.
      List<String> types = new ArrayList<>(second.stream().map(EventsTest::inShort).toList());
      types.remove("protection-caught-up 1");
      if (!types.remove("protection-caught-up 3")) {
        assertThat(inShort(next())).isEqualTo("protection-caught-up 3");
      }
      assertThat(types).containsExactly(
          "node-left 0", "node-joined 0", "restored 3", "run-begun 0", "restart-read 3", "run-over 0");
      assertThat(second.get(2).getJsonObject("ranks")).isEqualTo(
          new JsonObject().put("kept", 2).put("moved", 0).put("rebuilt", 1).put("fetched", 0));
      meters(metrics.registry());
    }
  }

  @Test
  void theEndOfARunSaysWhoWasLostAndWhatWasBeingWritten() throws Exception {
    Path prefix = Files.createDirectories(directory.resolve("prefix"));
    try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings(), true, metrics.observer())) {
      List.of("n1", "n2").forEach(cluster::start);
      var ranks = new EmbeddedRun(cluster, prefix, List.of("n1", "n2")).start(scr -> {
        Output output = scr.startCheckpoint("step-1");
        if (scr.rank() == 0) {
          output.complete(true);                          // waits for the other, who goes
        }
        return 0;
      });
      assertThat(EmbeddedRun.failure(ranks.getFirst())).hasMessageContaining("rank 1");
      JsonObject over = untilRunIsOver().getLast();
      assertThat(over.getString("fault")).isEqualTo("RANK_LOST");
      assertThat(over.getString("cause")).contains("rank 1 on node n2");
      assertThat(over.getInteger("dataset")).isEqualTo(1);
      assertThat(metrics.registry().get("scr_run_lost").tag("fault", "RANK_LOST").counter().count()).isEqualTo(1);
    }
  }

  @Test
  void howFarCopiesHaveComeIsToldByTheLeaderForAFlushAndByEachNodeForItsFetch() throws Exception {
    try (TestCluster cluster = new TestCluster(
        vertx, directory, new TestCluster.Setup(Map.of()).flushing(1, false), "n1", "n2")) {
      cluster.steps(1, 1, "n1", "n2");
      cluster.deleteAllStorage("n1", "n2");
      assertThat(cluster.restart("n1", "n2")).isEqualTo(1);
      Eventually.holds("all is told", () -> told("flush-progress", "n1") && told("fetch-progress", "n1")
          && told("fetch-progress", "n2"));
    }
  }

  /** Whether the last word is that all is copied. */
  private boolean told(String type, String node) {
    return progress.stream().filter(event -> event.getString("type").equals(type)
            && event.getString("node").equals(node) && event.getInteger("dataset") == 1)
        .map(event -> event.getJsonObject("copied")).reduce((_, last) -> last)
        .filter(last -> last.getLong("totalBytes") > 0 && last.getLong("doneBytes").equals(last.getLong("totalBytes")))
        .isPresent();
  }

  private static int write(Scr scr, Path prefix) throws IOException {
    RankProgram.checkpoint(scr, prefix, 1, FILES);
    Output bad = scr.startCheckpoint("step-2");
    assertThatThrownBy(() -> bad.complete(scr.rank() != 1)).isInstanceOf(ScrException.class);
    RankProgram.checkpoint(scr, prefix, 3, FILES);
    scr.finish();
    return 0;
  }

  private void meters(MeterRegistry registry) {
    long bytes = 0;
    for (int rank = 0; rank < 3; rank++) {
      for (int file = 0; file < FILES; file++) {
        bytes += RankProgram.bytes(rank, 1, file).length + RankProgram.bytes(rank, 3, file).length;
      }
    }
    assertThat(registry.get("scr_run_begun").counter().count()).isEqualTo(2);
    assertThat(registry.get("scr_run_finalized").counter().count()).isEqualTo(2);
    assertThat(registry.get("scr_phase_started").counter().count()).isEqualTo(3);
    assertThat(registry.get("scr_phase").tag("outcome", "complete").timer().count()).isEqualTo(2);
    assertThat(registry.get("scr_phase_failures").tag("fault", "NOT_VALID").counter().count()).isEqualTo(1);
    assertThat(registry.get("scr_call_failures").tag("fault", "NOT_VALID").counter().count()).isEqualTo(3);
    assertThat(registry.get("scr_protection_bytes").counter().count()).isEqualTo(bytes);
    assertThat(registry.get("scr_protection_files").counter().count()).isEqualTo(2 * 3 * FILES);
    assertThat(registry.get("scr_flush_bytes").counter().count()).isEqualTo(bytes);
    assertThat(registry.get("scr_restart_ranks").tag("way", "rebuilt").counter().count()).isEqualTo(1);
    assertThat(registry.get("scr_restart_ranks").tag("way", "kept").counter().count()).isEqualTo(2);
    assertThat(registry.get("scr_cluster_left_nodes").counter().count()).isEqualTo(1);
  }

  private static String inShort(JsonObject event) {
    return event.getString("type") + " " + event.getInteger("dataset");
  }

  private List<JsonObject> untilRunIsOver() throws InterruptedException {
    List<JsonObject> all = new ArrayList<>();
    do {
      all.add(next());
    } while (!all.getLast().getString("type").equals("run-over"));
    return all;
  }

  private JsonObject next() throws InterruptedException {
    JsonObject event = events.poll(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
    assertThat(event).as("the next event").isNotNull();
    return event;
  }
}
