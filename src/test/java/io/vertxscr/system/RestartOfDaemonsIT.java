package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: what daemons have promised holds when all of them end and are started again. Method: three daemons that flush
 * every second checkpoint, ended by SIGTERM or SIGKILL and started again, all at the same time.
 */
class RestartOfDaemonsIT {
  private static final int FILES = 3;
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static DaemonCluster cluster;

  private Path prefix;

  @BeforeAll
  static void open() throws Exception {
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "2"));
  }

  @AfterAll
  static void close() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void freshPrefix() throws Exception {
    prefix = cluster.newPrefix();
    startAll();
  }

  private static void startAll() throws Exception {
    if (cluster.alive().isEmpty()) {
      for (String name : NAMES) {
        cluster.startSoon(name);
      }
      for (String name : NAMES) {
        cluster.daemon(name).awaitReady();
      }
      Eventually.holds("one cluster of three", () -> nodes("a").size() == 3 && nodes("c").size() == 3);
    }
  }

  private static JsonArray nodes(String asked) throws Exception {
    return status(asked).getJsonArray("nodes");
  }

  private static JsonObject status(String asked) throws Exception {
    try (StatusOf status = new StatusOf(cluster.daemon(asked))) {
      return status.now();
    }
  }

  private SocketRun run() throws Exception {
    return SocketRun.twoOnEach(prefix, NAMES.stream().map(cluster::daemon).toList());
  }

  private int twoCheckpoints(Scr scr) throws Exception {
    int step = RankProgram.restart(scr, FILES);
    RankProgram.checkpoint(scr, prefix, step + 1, FILES);
    RankProgram.checkpoint(scr, prefix, step + 2, FILES);
    return step + 2;
  }

  @Test
  void aFlushThatCouldNotBeDoneIsDoneAfterTheNextStartWithoutAnyApplication() throws Exception {
    Path inTheWay = prefix.resolve("step-2");                      // a file where a directory must be
    CyclicBarrier routed = new CyclicBarrier(6);
    assertThat(EmbeddedRun.all(run().start(scr -> {
      RankProgram.checkpoint(scr, prefix, 1, FILES);
      try (Output output = scr.startCheckpoint("step-2")) {
        for (int file = 0; file < FILES; file++) {
          Path path = output.route(prefix + "/step-2/rank-" + scr.rank() + "-" + file);
          Files.write(path, RankProgram.bytes(scr.rank(), 2, file));
        }
        if (routed.await() == 0) {
          Files.createFile(inTheWay);
        }
        routed.await();
        output.complete(true);
      }
      scr.finish();
      return 2;
    }))).containsOnly(2);
    JsonObject newest = status("b").getJsonArray("datasets").stream().map(JsonObject.class::cast)
        .max(Comparator.comparingInt(dataset -> dataset.getInteger("dataset"))).orElseThrow();
    assertThat(newest.getString("name") + " " + newest.getString("flush")).isEqualTo("step-2 WANTED");

    long asked = System.nanoTime();
    assertThat(cluster.terminateAll()).containsOnly(0);
    System.out.printf("three daemons ended %d ms after SIGTERM%n", (System.nanoTime() - asked) / 1_000_000);

    Files.delete(inTheWay);
    startAll();
    Eventually.holds("flushed", () -> NAMES.stream().allMatch(RestartOfDaemonsIT::hasFlushed));
    assertThat(prefix.resolve(".scr/scr.dataset." + newest.getInteger("dataset") + "/summary.scr")).exists();
    for (int rank = 0; rank < 6; rank++) {
      for (int file = 0; file < FILES; file++) {
        assertThat(prefix.resolve("step-2/rank-" + rank + "-" + file)).hasBinaryContent(
            RankProgram.bytes(rank, 2, file));
      }
    }
  }

  private static boolean hasFlushed(String name) {
    try {
      return status(name).getJsonArray("datasets").stream()
          .allMatch(dataset -> ((JsonObject) dataset).getString("flush").equals("DONE"));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theNewestCheckpointIsOfferedAfterAllDaemonsWereKilledAtOnce() throws Exception {
    assertThat(EmbeddedRun.all(run().start(scr -> {
      int step = twoCheckpoints(scr);
      RankProgram.checkpoint(scr, prefix, step + 1, FILES);
      scr.finish();
      return step + 1;
    }))).containsOnly(3);
    cluster.killAll();
    startAll();
    assertThat(EmbeddedRun.all(run().start(scr -> {
      int step = RankProgram.restart(scr, FILES);
      scr.finish();
      return step;
    }))).containsOnly(3);
  }

  @Test
  void aMistakeInTheConfigurationOrOnTheCommandLineIsASentenceAndExitCode2() throws Exception {
    Path file = Files.writeString(cluster.directory().resolve("typo.conf"), "SCR_FLSH=3\n");
    DaemonProcess configured =
        cluster.startOutsider("x", cluster.directory(), Map.of(), "--config", file.toString());
    assertThat(configured.awaitExit()).isEqualTo(2);
    assertThat(configured.output()).isEqualTo(
        "scr: " + file + " line 1: unknown parameter SCR_FLSH; did you mean SCR_FLUSH?\n");

    DaemonProcess called = cluster.startOutsider("x", cluster.directory(), Map.of(), "--peer-prot", "1");
    assertThat(called.awaitExit()).isEqualTo(2);
    assertThat(called.output()).startsWith("scr: Unknown option").contains("--peer-prot").doesNotContain("\tat ");
  }
}
