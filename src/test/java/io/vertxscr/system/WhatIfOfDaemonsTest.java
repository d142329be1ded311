package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.storage.Trees;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: daemons tell what a loss would cost, also of nodes that the command's machine does not see. Method: three
 * daemons in this process, members of a real cluster; ranks on two of them write a checkpoint.
 */
@Timeout(120)
class WhatIfOfDaemonsTest {
  @TempDir
  private Path directory;
  private DaemonsHere daemons;

  @BeforeEach
  void start() throws IOException {
    daemons = new DaemonsHere(directory, 3);
  }

  @AfterEach
  void stop() {
    daemons.close();
  }

  private Map<String, String> environment(int node) {
    return daemons.environment(node);
  }

  private CliRun explain(int node, Path prefix, Object... words) {
    List<Object> all = new ArrayList<>(List.of("explain", "--prefix", prefix));
    all.addAll(List.of(words));
    return CliRun.of(environment(node), all.toArray());
  }

  @Test
  void theyTellOfAllNodes() throws Exception {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "first");

    CliRun one = explain(2, prefix, "--if-lost", "n0");
    assertThat(one).as(one.toString()).returns(0, CliRun::exit).returns("", CliRun::err);
    assertThat(one.out()).startsWith("""
        if n0 is lost with its storage (3 nodes, as the daemons say)
        restart   dataset 1 'first' of the caches, as now; the files of 1 rank are rebuilt
        """);
    assertThat(explain(2, prefix, "--if-lost", "n1", "--socket", daemons.nodes.getFirst().socket()).out())
        .contains("1 rank are rebuilt");
    CliRun two = explain(0, prefix, "--if-lost", "any-two", "--json");
    assertThat(two.exit()).isEqualTo(1);
    JsonObject json = new JsonObject(two.out());
    assertThat(json.getJsonArray("losses").stream().map(JsonObject.class::cast)
        .map(loss -> loss.getLong("count") + " " + loss.getBoolean("costsWork")))
        .containsExactly("1 true", "2 false");
    CliRun survival = explain(1, prefix, "survival", "--mtbf", 1000);
    assertThat(survival.out()).as(survival.err())
        .startsWith("sets    1 of 2 nodes, those of dataset 1 'first' (3 nodes,").contains("XOR");

    CliRun first = explain(2, prefix, "first");
    assertThat(first).as(first.toString()).returns(0, CliRun::exit).returns("", CliRun::err);
    assertThat(first.out()).contains("the caches can give it", "the caches of n0, n1 have", "any one node may be lost",
        "\nlooked at\n  the prefix directory, 3 nodes, as the daemons say\n");

    CliRun offline = explain(0, prefix, "--if-lost", "n0", "--control",
        Path.of(environment(0).get("SCR_CNTL_BASE")).resolve("u/scr.1"));
    assertThat(offline.exit()).as("what else there is cannot be seen from here").isEqualTo(1);
    assertThat(offline.out()).contains("1 node, as the caches of this machine show");

    daemons.nodes.removeLast().close();
    daemons.nodes.removeLast().close();
    Eventually.holds("n0 is alone", () -> daemons.nodes.getFirst().members().size() == 1);
    CliRun after = explain(0, prefix, "--if-lost", "n0");
    assertThat(after).as(after.toString()).returns(1, CliRun::exit);
    assertThat(after.out()).contains("1 node, as the daemons say", "1 checkpoint lost: 1 'first'",
        "helps     more nodes or failure groups: a set of 2 tolerates 1 loss at most\n");

    Path left = Path.of(environment(1).get("SCR_CNTL_BASE")).resolve("u/scr.1/n1");
    Path beside = Files.createDirectory(Path.of(environment(0).get("SCR_CNTL_BASE")).resolve("u/scr.1/n1"));
    try (var filemaps = Files.newDirectoryStream(left, "*.scrfilemap")) {
      for (Path filemap : filemaps) {
        Files.copy(filemap, beside.resolve(filemap.getFileName()));
      }
    }
    CliRun oneHost = explain(0, prefix, "first");
    assertThat(oneHost.out()).as(oneHost.toString()).contains("1 node, as the daemons say");
    assertThat(oneHost.err()).isEqualTo("scr: no daemon runs of n1, whose cache on this machine has 1 dataset: what"
        + " only it holds counts as lost, until its daemon is started again\n");
  }

  @Test
  void theyKnowThePrefixDirectoryThatNobodyNames() throws Exception {
    assertThat(CliRun.of(environment(0), "halt")).returns(1, CliRun::exit)
        .extracting(CliRun::err).asString().contains("the daemons of this host know of no run");
    assertThat(CliRun.of(environment(0), "explain", "--if-lost", "n0")).returns(1, CliRun::exit)
        .extracting(CliRun::err).asString().contains("say --prefix DIR");
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "first");
    CliRun halt = CliRun.of(environment(2), "halt");
    assertThat(halt).as(halt.toString()).returns(1, CliRun::exit).returns("", CliRun::out);
    assertThat(halt.err()).contains("the daemons of this host know " + prefix + "\n");
    CliRun loss = CliRun.of(environment(2), "explain", "--if-lost", "n0");
    assertThat(loss).as(loss.toString()).returns(0, CliRun::exit);
    assertThat(loss.out()).contains("restart   dataset 1 'first' of the caches, as now");
    assertThat(loss.err()).contains(": this is about " + prefix + ", to which");

    Path other = Files.createDirectory(directory.resolve("q"));
    daemons.checkpoint(other, "second");
    CliRun several = CliRun.of(environment(2), "explain", "--if-lost", "n0");
    assertThat(several).as(several.toString()).returns(1, CliRun::exit).returns("", CliRun::out);
    assertThat(several.err()).contains("say one of --prefix " + prefix + ", --prefix " + other + "\n");
  }

  @Test
  void aNodeOfThisMachineWhoseCacheWasDeletedHasNothingThoughItsDaemonSaysSo() throws Exception {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    daemons.checkpoint(prefix, "first");
    assertThat(explain(0, prefix, "first").out()).contains("any one node may be lost");
    Trees.delete(Path.of(environment(0).get("SCR_CACHE_BASE")));
    CliRun first = explain(0, prefix, "first");
    assertThat(first.out()).as(first.toString()).contains("the caches can give it",
        "not every single node may be lost");
    assertThat(first.err()).isEqualTo("scr: dataset 1 on n0: its directory in the cache was deleted, and with it all"
        + " that n0 had of it; its daemon does not know that yet, 'scr scrub --now' has it look\n");
    assertThat(explain(0, prefix, "--if-lost", "n1").out()).contains("1 checkpoint lost: 1 'first'");
  }
}
