package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: an operator reads in few lines what a loss would cost. Method: caches of four nodes without daemons. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class WhatIfCommandTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 23, 10, 0);

  @TempDir
  private Path temp;

  private CliRun explain(TestCaches caches, Object... words) {
    List<Object> all = new ArrayList<>(List.of("explain", "--prefix", caches.prefix, "--control", caches.control));
    all.addAll(List.of(words));
    return CliRun.of(Map.of(), all.toArray());
  }

  private TestCaches caches(Scheme scheme) {
    return caches(temp, scheme);
  }

  private static TestCaches caches(Path directory, Scheme scheme) {
    TestCaches caches = new TestCaches(directory, scheme, 4, 1, 1000);
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    return caches;
  }

  private static List<LogLine> restored(int dataset, String event, double seconds, String note) {
    return List.of(
        LogLine.transfer("CHECKPOINT").dataset(dataset).seconds(1).bytesAndFiles(8000, 4).at(TIME, "n0", "1"),
        LogLine.event("NODE_FAIL").at(TIME.plusMinutes(1), "n0", "1"),
        LogLine.event(event).dataset(dataset).text("note", note).seconds(seconds)
            .at(TIME.plusMinutes(11), "n0", "1"));
  }

  @Test
  void aLossThatTheSetsHold() {
    TestCaches caches = caches(Scheme.XOR);
    CliRun ran = explain(caches, "--if-lost", "n3");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out().lines().toList()).hasSize(5);
    assertThat(ran.out()).startsWith("""
        if n3 is lost with its storage (4 nodes, as the caches of this machine show; no daemon answers)
        restart   dataset 6 'b.6' of the caches, as now; the files of 1 rank are rebuilt
        work      what was done in the""").contains(" since that was begun; no checkpoint is lost\n", """
        time      not known: 1.0 kB to rebuild, and the log of the prefix directory has no rebuild to measure by
        survives  6 'b.6', 5 'b.5'
        """);
    assertThat(ran.err()).isEmpty();
  }

  @Test
  void theTimeIsThatOfTheLastMeasuredRebuild() {
    TestCaches caches = caches(Scheme.XOR);
    LogFile log = new LogFile(new PrefixPaths(caches.prefix));
    log.append(restored(2, "REBUILD_SUCCESS", 9, "3 kept, 0 moved, 1 rebuilt, 0 fetched"));
    log.append(restored(3, "REBUILD_SUCCESS", 2, "2 kept, 1 moved, 1 rebuilt, 0 fetched"));
    log.append(restored(4, "FETCH_SUCCESS", 20, "0 kept, 0 moved, 0 rebuilt, 4 fetched"));
    log.append(restored(4, "REBUILD_SUCCESS", 1, "4 kept, 0 moved, 0 rebuilt, 0 fetched"));
    assertThat(explain(caches, "--if-lost", "n[3]").out()).contains("time      about 2 s: 1.0 kB to rebuild at 1.0 kB/s"
        + ", as measured when dataset 3 was restored, 2026-11-23T10:11:00\n");

    CliRun.of(Map.of(), "scavenge", "--prefix", caches.prefix, "--control", caches.control, "--id", 5);
    CliRun two = explain(caches, "--if-lost", "n3,n0");
    assertThat(two.exit()).isEqualTo(1);
    assertThat(two.out()).contains("if n0, n3 are lost with their storage", """
        restart   dataset 5 'b.5' of the prefix directory
        """, "; 1 checkpoint lost: 6 'b.6'\n",
        "time      about 11 s: 4.1 kB to fetch at 400 B/s, as measured when dataset 4",
        "prefix    only there then: 5 'b.5'\n",
        "lost      6 'b.6': the files of rank 0 are lost, and in the same XOR set [0, 1, 2, 3], which tolerates 1 loss,"
            + " ranks [3] have lost their files and ranks [3] have lost their redundancy files too\n",
        "helps     a flush: ", "helps     more redundancy: SCR_COPY_TYPE=RS with SCR_SET_FAILURES=2 ",
        "helps     the nodes themselves: ");
    assertThat(two.out().lines().count()).as("few lines").isLessThan(12);
  }

  @Test
  void anyNodeAndAnyTwo() {
    TestCaches caches = caches(Scheme.XOR);
    CliRun one = explain(caches, "--if-lost", "any");
    assertThat(one.exit()).isZero();
    assertThat(one.out()).contains("if any one node is lost with its storage (4 nodes",
        "4 of 4 losses, such as n0, n1, n2:\nrestart   dataset 6 'b.6' of the caches, as now");
    CliRun two = explain(caches, "--if-lost", "any-two");
    assertThat(two.exit()).isEqualTo(1);
    assertThat(two.out()).contains("6 of 6 losses, such as n0 and n1, n0 and n2, n0 and n3:\n"
        + "restart   none: a run would start without a checkpoint\nwork      all of it; 2 checkpoints lost: 6 'b.6',"
        + " 5 'b.5'\n");
    TestCaches others = new TestCaches(temp.resolve("rs"), Scheme.RS, 4, 1, 1000);
    others.dataset(7, "b.7");
    assertThat(explain(others, "--if-lost", "any-two")).returns(0, CliRun::exit)
        .extracting(CliRun::out).asString().contains("as now; the files of 2 ranks are rebuilt");
  }

  @Test
  void jsonHasTheSame() {
    TestCaches caches = caches(Scheme.XOR);
    caches.lose("n1");
    CliRun ran = explain(caches, "--if-lost", "any", "--json");
    assertThat(ran.exit()).isEqualTo(1);
    JsonObject json = new JsonObject(ran.out());
    assertThat(json.getInteger("version")).isEqualTo(1);
    assertThat(json.getJsonArray("nodes")).isEqualTo(new JsonArray(List.of("n0", "n2", "n3")));
    assertThat(json.getLong("pairsLeftOut")).isZero();
    JsonObject loss = json.getJsonArray("losses").getJsonObject(0);
    assertThat(loss.getLong("count")).isEqualTo(3);
    assertThat(loss.getBoolean("costsWork")).isTrue();
    assertThat(loss.containsKey("restart")).isFalse();
    assertThat(loss.getJsonArray("checkpointsLost").getJsonObject(0))
        .isEqualTo(new JsonObject().put("id", 6).put("name", "b.6"));
    assertThat(loss.getJsonArray("lost").getJsonObject(0).getString("why")).contains("rank 0 are lost");

    JsonObject known = new JsonObject(
        explain(caches(temp.resolve("whole"), Scheme.XOR), "--if-lost", "n0", "--json").out())
        .getJsonArray("losses").getJsonObject(0);
    assertThat(known.getJsonObject("restart")).isEqualTo(new JsonObject("""
        {"id": 6, "name": "b.6", "from": "caches", "asNow": true, "rebuiltRanks": 1, "bytes": 1013}"""));
    assertThat(known.getDouble("workLostSeconds")).isPositive();
    assertThat(known.getJsonArray("examples").encode()).isEqualTo("[[\"n0\"]]");
  }

  @Test
  void whatCannotBeAnsweredIsRefused() {
    TestCaches caches = caches(Scheme.XOR);
    assertThat(explain(caches, "--if-lost", "n9")).returns(1, CliRun::exit)
        .returns("scr: node 'n9' is not known; these are: n0, n1, n2, n3\n", CliRun::err);
    for (Object[] words : List.<Object[]>of(new Object[] {}, new Object[] {"b.6", "--if-lost", "n1"},
        new Object[] {"--if-lost", ""}, new Object[] {"survival", "--mtbf", "0"},
        new Object[] {"survival", "--repair", "-1"}, new Object[] {"survival", "--mtbf", "NaN"})) {
      CliRun ran = explain(caches, words);
      assertThat(ran).as(List.of(words).toString()).returns(2, CliRun::exit).returns("", CliRun::out);
    }
    assertThat(explain(caches, "--if-lost", "n1", "--socket", temp.resolve("none")).exit()).isEqualTo(1);
    TestCaches none = new TestCaches(temp.resolve("other"), Scheme.XOR, 2, 1, 10);
    assertThat(explain(none, "survival", "--mtbf", "1000")).returns(1, CliRun::exit)
        .extracting(CliRun::err).asString().startsWith("scr: no checkpoint is in the caches");
  }

  @Test
  void cachesOfAnotherPrefixDirectoryAreNamedAndNotCounted() {
    TestCaches caches = caches(Scheme.XOR);
    TestCaches other = new TestCaches(temp.resolve("other"), Scheme.XOR, 2, 1, 10);
    CliRun ran =
        CliRun.of(Map.of(), "explain", "--prefix", other.prefix, "--control", caches.control, "--if-lost", "n0");
    assertThat(ran.out()).contains("restart   none: a run would start without a checkpoint");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.err()).isEqualTo(
        "scr: the caches also hold datasets of " + caches.prefix + ": --prefix asks about these\n");
  }

  @Test
  void survivalByTimesOfTheUser() {
    CliRun ran = explain(caches(Scheme.XOR), "survival", "--mtbf", 43800, "--repair", 60);
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).startsWith("""
        sets    1 of 4 nodes, those of dataset 6 'b.6' (4 nodes, as the caches of this machine show; no daemon answers)
        mtbf    43800 h of a node, as given
        repair  60 min, as given

        scheme   tolerates  more in a day  once in days  cache besides
        SINGLE           0        2.2e-03           456            0 %
        PARTNER          1        1.0e-07       1.0e+07          100 %
        PARTNER          2        6.9e-12       1.5e+11          200 %
        XOR              1        1.5e-07       6.7e+06           33 %  in use
        RS               2        6.9e-12       1.5e+11          100 %
        RS               3""");
  }

  @Test
  void survivalByWhatWasSeen() {
    TestCaches caches = caches(Scheme.XOR);
    PrefixPaths paths = new PrefixPaths(caches.prefix);
    assertThat(explain(caches, "survival")).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .contains("nothing is known about failures of nodes", "--mtbf");

    FailuresFileStore failures = new FailuresFileStore(paths, PatientLocks.user("test"));
    failures.add(FailureHistory.EMPTY.computed(3_600_000_000L * 300));
    assertThat(explain(caches, "survival").out()).contains(
        "mtbf    400 h of a node, at least, with 95 % confidence: no loss was seen in 300.0 h of runs, on 4 nodes\n",
        "repair  60 min, assumed: the log of the prefix directory has no rebuild after a loss; --repair gives it\n");

    failures.add(FailureHistory.EMPTY.failed(Level.NODE).failed(Level.PREFIX).failed(Level.PROCESS));
    new LogFile(paths).append(restored(3, "REBUILD_SUCCESS", 2, "3 kept, 0 moved, 1 rebuilt, 0 fetched"));
    assertThat(explain(caches, "survival").out()).contains(
        "mtbf    600 h of a node, seen: 2 losses in 300.0 h of runs, on 4 nodes\n",
        "repair  10 min, from the loss of a node to the end of its rebuild, 2026-11-23T10:11:00, in the log\n");
    JsonObject json = new JsonObject(explain(caches, "survival", "--json").out());
    assertThat(json.getDouble("mtbfHours")).isEqualTo(600);
    assertThat(json.getDouble("repairHours")).isEqualTo(1 / 6.0);
    assertThat(json.getJsonArray("sets").encode()).isEqualTo("[{\"nodes\":4,\"count\":1}]");
    assertThat(json.getJsonArray("schemes").stream().map(JsonObject.class::cast)
        .filter(row -> row.getBoolean("inUse"))).singleElement().satisfies(row -> {
          assertThat(row.getString("scheme")).isEqualTo("XOR");
          assertThat(row.getDouble("probabilityPerDay")).isBetween(0.0001, 0.001);
        });
  }

  @Test
  void aNodeWhoseCacheWasDeletedHasNothing() throws IOException {
    TestCaches caches = caches(Scheme.XOR);
    Trees.delete(caches.directory("n1", 6));
    String deleted = "scr: dataset 6 on n1: its directory in the cache was deleted, and with it all that n1 had of it"
        + "\n";
    CliRun inspected = CliRun.of(Map.of(), "inspect", "--control", caches.control);
    assertThat(inspected).returns(1, CliRun::exit).returns(deleted, CliRun::err);
    assertThat(inspected.out().lines().map(line -> line.replaceAll(" +", " ").strip()))
        .anyMatch(line -> line.startsWith("5 ckpt n1 1 1.0 kB"))
        .anyMatch(line -> line.startsWith("6 ckpt n1 - 0 B XOR"))
        .anyMatch(line -> line.contains("'b.6': can be restored from these caches, but not after the loss of n0"));
    JsonObject part = new JsonObject(CliRun.of(Map.of(), "inspect", "--control", caches.control, "--json").out())
        .getJsonArray("datasets").stream().map(JsonObject.class::cast)
        .filter(one -> one.getInteger("id") == 6 && one.getString("node").equals("n1")).findFirst().orElseThrow();
    assertThat(part.getJsonArray("ranks")).isEmpty();
    assertThat(part.getLong("bytes")).isZero();

    CliRun loss = explain(caches, "--if-lost", "n3");
    assertThat(loss).returns(1, CliRun::exit).returns(deleted, CliRun::err);
    assertThat(loss.out()).contains("1 checkpoint lost: 6 'b.6'", "restart   dataset 5 'b.5' of the caches");
  }
}
