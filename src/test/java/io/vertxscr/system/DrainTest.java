package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a node that is called drained can be lost with its storage, and nothing is weaker for it. One that
 * cannot be is refused with the reason, and nothing is worse meanwhile. Method: nodes in virtual time on real files; a
 * restart compares every byte. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class DrainTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Duration GRACE = Duration.ofSeconds(120);
  private static final List<String> FOUR = List.of("n1", "n2", "n3", "n4");

  @TempDir
  Path directory;
  private VirtualCluster cluster;

  /** A run on these nodes has written two checkpoints and has ended; the spares have come, too. */
  private void written(List<String> nodes, List<String> spares, String... parameters) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_CACHE_SIZE", "2"));
    for (int i = 0; i < parameters.length; i += 2) {
      all.put(parameters[i], parameters[i + 1]);
    }
    cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), all);
    begin(nodes, spares);
  }

  private void begin(List<String> nodes, List<String> spares) {
    cluster.start(nodes.toArray(String[]::new));
    cluster.start(spares.toArray(String[]::new));
    cluster.launch();
    assertThat(run(nodes).steps(1, 2)).isZero();
    cluster.pass(Duration.ofSeconds(1));
  }

  private VirtualRun run(List<String> nodes) {
    return new VirtualRun(cluster, nodes.toArray(String[]::new));
  }

  /** With its storage. */
  private void lose(String node) {
    cluster.kill(node);
    cluster.loseStorage(node);
  }

  private <T> Future<T> asked(String node, Function<ScrClient, Future<T>> question) {
    ScrClient client = cluster.client(node);
    try {
      return cluster.await(question.apply(client));
    } finally {
      client.close();
    }
  }

  private Future<JsonObject> drain(String by, DrainRequest request) {
    return asked(by, client -> Future.fromCompletionStage(client.drain(request)).map(JsonObject::new));
  }

  private JsonObject begun(String by, String node) {
    Future<JsonObject> begun = drain(by, DrainRequest.begin(node, false));
    assertThat(begun.cause()).isNull();
    return begun.result();
  }

  private String state(String by, String node) {
    return drain(by, DrainRequest.look(node)).result().getString("state");
  }

  private void awaitDrained(String by, String node) {
    for (int tries = 0; tries < 1000; tries++) {
      JsonObject now = drain(by, DrainRequest.look(node)).result();
      if (now.getString("state").equals("DRAINED")) {
        assertThat(now.getInteger("percent")).isEqualTo(100);
        return;
      }
      assertThat(now.getString("state")).as("%s", now).isEqualTo("DRAINING");
      cluster.pass(Duration.ofSeconds(1));
    }
    throw new AssertionError("never drained, in\n" + cluster.story());
  }

  private JsonObject status(String by) {
    return asked(by, client -> Future.fromCompletionStage(client.status()).map(JsonObject::new)).result();
  }

  private List<String> protection(String by) {
    return status(by).getJsonObject("cluster").getJsonArray("datasets").stream()
        .map(dataset -> ((JsonObject) dataset).getString("protection")).toList();
  }

  private JsonObject lossOf(String by, String node) {
    return cluster.onLoop(by, () -> cluster.services(by).picture().lossOf(List.of(node))).result();
  }

  private List<JsonObject> events(String type) {
    return cluster.bus().events(type);
  }

  private List<Integer> held(String node) {
    return cluster.store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }

  private void restartsFrom(int step, List<String> nodes) {
    assertThat(run(nodes).steps(1, 0)).as("step of the restart").isEqualTo(step);
  }

  /** Once, when this message is on its way for this many times. */
  private void at(String verb, int number, Runnable what) {
    int[] seen = {0};
    cluster.bus().watch(sent -> {
      if (sent.address().endsWith(".node." + verb) && ++seen[0] == number) {
        what.run();
      }
    });
  }

  @ParameterizedTest(name = "{0}, spares {1}")
  @CsvSource({"XOR, n5", "PARTNER, n5", "RS, n5 n6", "SINGLE, n5", "XOR, ''", "PARTNER, ''", "SINGLE, ''"})
  void theLossOfADrainedNodeLosesNothingAndWeakensNothing(String scheme, String spareNames) throws IOException {
    List<String> spares = spareNames.isEmpty() ? List.of() : List.of(spareNames.split(" "));
    written(FOUR, spares, "SCR_COPY_TYPE", scheme);
    List<String> before = protection("n1");
    assertThat(before).containsOnly(scheme.equals("SINGLE") ? "none" : "full");
    assertThat(begun("n3", "n2")).isEqualTo(new JsonObject()
        .put("node", "n2").put("state", "DRAINING").put("percent", 0).put("cause", ""));
    awaitDrained("n4", "n2");
    assertThat(status("n1").getJsonArray("drains")).containsExactly(new JsonObject()
        .put("node", "n2").put("state", "DRAINED").put("percent", 100).put("cause", ""));
    assertThat(lossOf("n3", "n2").getBoolean("costsWork")).isFalse();
    assertThat(lossOf("n3", "n2").getJsonObject("drain").getBoolean("may")).isTrue();
    assertThat(protection("n1")).isEqualTo(before);
    assertThat(held("n2")).as("its copies stay").containsExactly(1, 2);
    assertThat(events("drain-started").size()).isEqualTo(1);
    assertThat(events("drain-done")).singleElement()
        .satisfies(event -> assertThat(event.getString("about")).isEqualTo("n2"));
    assertThat(events("drain-stopped")).isEmpty();
    int healed = events("heal-started").size();

    lose("n2");
    cluster.pass(Duration.ofSeconds(5));
    assertThat(protection("n1")).isEqualTo(before);
    cluster.pass(GRACE.multipliedBy(3));
    assertThat(events("heal-started")).as("nothing was left to do").hasSize(healed);
    assertThat(status("n1").getJsonArray("drains")).isEmpty();
    List<String> left = new ArrayList<>(List.of("n1", "n1", "n3", "n4"));
    if (!scheme.equals("SINGLE")) {
      lose("n3");
      left.set(2, "n4");
    }
    restartsFrom(2, left);
  }

  @Test
  void filesAreCopiedFromTheNodeAndNotRebuilt() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    List<String> sent = new ArrayList<>();
    cluster.bus().watch(message -> {
      if (message.address().endsWith(".node.restore")) {
        sent.add(message.address());
      }
    });
    begun("n1", "n2");
    awaitDrained("n1", "n2");
    assertThat(sent).isNotEmpty().containsOnly("scr.n5.node.restore");
    assertThat(held("n5")).containsExactly(1, 2);
    restartsFrom(2, List.of("n1", "n5", "n3", "n4"));
    assertThat(events("restored").getLast().getJsonObject("ranks").getMap()).containsEntry("kept", 4);
  }

  @Test
  void aNodeWithRanksIsRefusedOrDrainedBehindTheRun() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    VirtualRun run = run(FOUR);
    Promise<Void> end = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.restart(session)
        .compose(_ -> run.checkpoint(session, 3)).compose(_ -> end.future()).compose(_ -> session.finish()));
    cluster.awaits("its checkpoint", () -> events("dataset-complete").size() == 3);
    Future<JsonObject> refused = drain("n4", DrainRequest.begin("n2", false));
    assertThat(Fault.of(refused.cause())).isEqualTo(Fault.WRONG_STATE);
    assertThat(refused.cause())
        .hasMessageMatching("run \\d+ has ranks 1 on node n2: halt it first, or .*--after-run.*");
    assertThat(state("n1", "n2")).isEqualTo("NONE");

    assertThat(begun("n1", "n5").getString("state")).isEqualTo("WAITING");
    cluster.pass(Duration.ofSeconds(5));
    assertThat(state("n1", "n5")).as("nothing is there").isEqualTo("DRAINED");
    assertThat(drain("n1", DrainRequest.cancel("n5")).result().getString("state")).isEqualTo("NONE");

    JsonObject waits = drain("n1", DrainRequest.begin("n2", true)).result();
    assertThat(waits.getString("state")).isEqualTo("WAITING");
    assertThat(waits.getString("cause")).contains("a run is on");
    cluster.pass(GRACE);
    assertThat(state("n1", "n2")).isEqualTo("WAITING");
    assertThat(events("heal-started")).isEmpty();
    end.complete();
    ranks.forEach(rank -> assertThat(cluster.await(rank).succeeded()).isTrue());
    awaitDrained("n1", "n2");
    lose("n2");
    lose("n4");
    restartsFrom(3, List.of("n1", "n5", "n3", "n3"));
  }

  @Test
  void aDrainedNodeTakesNoRunUntilThatIsTakenBack() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    begun("n1", "n2");
    awaitDrained("n1", "n2");
    Future<Integer> rank = run(FOUR).start(1, session -> Future.succeededFuture(0));
    assertThat(cluster.await(rank).cause()).hasMessageContaining("node n2 is drained")
        .hasMessageContaining("scr drain --cancel n2");
    cluster.pass(Duration.ofMinutes(2));
    assertThat(drain("n3", DrainRequest.cancel("n2")).result().getString("state")).isEqualTo("NONE");
    assertThat(status("n1").getJsonArray("drains")).isEmpty();
    assertThat(events("drain-cancelled")).hasSize(1);
    assertThat(held("n5")).as("what was copied stays").containsExactly(1, 2);
    restartsFrom(2, FOUR);
    assertThat(drain("n3", DrainRequest.cancel("n2")).succeeded()).as("it is not").isTrue();
    assertThat(events("drain-cancelled")).hasSize(1);
  }

  /** As where a node answers late what it has room for. */
  @Test
  void aDrainThatIsTakenBackBeforeItHasBegunDoesNotBegin() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    ScrClient other = cluster.client("n3");
    at("space", 1, () -> other.drain(DrainRequest.cancel("n2")));
    assertThat(drain("n1", DrainRequest.begin("n2", false)).cause())
        .hasMessage("the drain of node n2 was taken back before it began");
    other.close();
    cluster.pass(Duration.ofMinutes(1));
    assertThat(state("n1", "n2")).isEqualTo("NONE");
    restartsFrom(2, FOUR);
  }

  @Test
  void aDrainedSpareTakesNothingOfALostNode() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    begun("n1", "n5");
    awaitDrained("n1", "n5");
    lose("n2");
    cluster.awaits("healing", () -> events("heal-done").size() == 2);
    assertThat(held("n5")).isEmpty();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(state("n1", "n5")).isEqualTo("DRAINED");
    assertThat(protection("n1")).containsExactly("full", "full");
    restartsFrom(2, List.of("n1", "n3", "n3", "n4"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"XOR", "PARTNER", "SINGLE"})
  void withTooFewNodesItIsRefusedByNameAndNothingIsChanged(String scheme) throws IOException {
    List<String> nodes = scheme.equals("SINGLE") ? List.of("n1") : List.of("n1", "n2");
    written(nodes, List.of(), "SCR_COPY_TYPE", scheme);
    Future<JsonObject> refused = drain("n1", DrainRequest.begin("n1", false));
    assertThat(refused.cause()).hasMessageStartingWith("dataset 2 \"step-2\" cannot be held without n1");
    assertThat(state("n1", "n1")).isEqualTo("NONE");
    assertThat(events("drain-started")).isEmpty();
    cluster.pass(GRACE);
    assertThat(events("heal-started")).isEmpty();
    restartsFrom(2, nodes);
    assertThat(drain("n1", DrainRequest.begin("n9", false)).cause())
        .hasMessage("node n9 is not in the cluster; its nodes are " + String.join(", ", nodes));
  }

  @Test
  void withoutRoomForAllItIsRefusedByName() throws IOException {
    Path walk = Files.createDirectories(directory.resolve("walk"));
    Path system = Files.write(walk.resolve("scr.conf"), List.of("SCR_COPY_TYPE=XOR", "SCR_CACHE_SIZE=2",
        "SCR_CNTL_BASE=" + walk.resolve("cntl"), "SCR_CACHE_BASE=" + walk.resolve("cache"), "SCR_FLUSH=0",
        "SCR_JOB_ID=1", "SCR_USER_NAME=user",
        "STORE=" + walk.resolve("cache") + " COUNT=2 SIZE=" + 5 * 230_000));
    cluster = new VirtualCluster(new Random(SEED), Settings.load(Map.of(), Optional.of(system)),
        Files.createDirectories(walk.resolve("prefix")), _ -> LocalFiles.ofThisMachine());
    begin(FOUR, List.of("n5"));
    Future<JsonObject> refused = drain("n1", DrainRequest.begin("n2", false));
    assertThat(Fault.of(refused.cause())).isEqualTo(Fault.NO_SPACE);
    assertThat(refused.cause()).as("the newest one alone would fit").hasMessageStartingWith(
        "dataset 1 \"step-1\" cannot be held without n2: no node has room");
    assertThat(held("n5")).isEmpty();
    assertThat(state("n1", "n2")).isEqualTo("NONE");
  }

  /** The daemon of another node is away for a while, with a part of each checkpoint. */
  @Test
  void aNodeThatANodeWhichMayReturnNeedsIsNotDrainedBeforeItIsBack() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "SINGLE");
    cluster.kill("n3");
    begun("n1", "n2");
    cluster.pass(Duration.ofSeconds(10));
    JsonObject now = drain("n1", DrainRequest.look("n2")).result();
    assertThat(now.getString("state")).isEqualTo("STOPPED");
    assertThat(now.getString("cause")).startsWith("it has parts of datasets [1, 2]");
    cluster.start("n3");
    cluster.pass(Duration.ofSeconds(1));
    awaitDrained("n1", "n2");
    lose("n2");
    restartsFrom(2, List.of("n1", "n3", "n4", "n5"));
  }

  /** Method: both copies of what was drained are in caches when it is flushed. */
  @Test
  void theCopyThatStaysKnowsOfTheFlush() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH_ON_RESTART", "1");
    begun("n1", "n2");
    awaitDrained("n1", "n2");
    restartsFrom(2, List.of("n1", "n3", "n4", "n5"));
    for (String node : List.of("n1", "n2", "n3", "n4", "n5")) {
      assertThat(cluster.store(node).find(2).orElseThrow().flush()).as(node).isEqualTo(FlushState.DONE);
    }
    cluster.pass(Duration.ofSeconds(10));
    assertThat(events("flush-done")).as("each once").hasSize(2);
  }

  @Test
  void whatIsInThePrefixDirectoryNeedsNotMove() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1");
    cluster.awaits("both flushes", () -> events("flush-done").size() == 2);
    cluster.pass(Duration.ofSeconds(1));
    begun("n1", "n2");
    awaitDrained("n1", "n2");
    assertThat(events("heal-started")).isEmpty();
    assertThat(held("n5")).isEmpty();
    assertThat(lossOf("n1", "n2").getBoolean("costsWork")).isFalse();
  }

  /** The leader holds files, too; RS survives both. */
  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"drain-mark, 1", "verify, 1", "restore, 1", "mend, 1", "mend, 2"})
  void whereTheLeaderIsLostMeanwhileTheNextOneGoesOn(String verb, int number) throws IOException {
    written(List.of("n1", "n2", "n3", "n4", "n5"), List.of("n6", "n7"), "SCR_COPY_TYPE", "RS");
    at(verb, number, () -> lose("n1"));
    drain("n3", DrainRequest.begin("n2", false));
    cluster.awaits("the second loss", () -> !cluster.isAlive("n1"));
    cluster.pass(Duration.ofSeconds(30));
    begun("n3", "n2");                                    // idempotent; the mark may have been lost with the leader
    awaitDrained("n3", "n2");
    lose("n2");
    cluster.pass(GRACE.multipliedBy(3));
    lose("n3");
    lose("n4");
    restartsFrom(2, List.of("n6", "n7", "n5", "n6", "n7"));
  }

  @Test
  void theLeaderItselfIsDrained() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    begun("n1", "n1");
    awaitDrained("n1", "n1");
    lose("n1");
    lose("n3");
    restartsFrom(2, List.of("n5", "n2", "n2", "n4"));
  }

  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"verify, 1", "restore, 1", "restore, 2", "mend, 1", "mend, 2"})
  void aNodeThatIsLostWhileItIsDrainedIsALostNode(String verb, int number) throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    at(verb, number, () -> lose("n2"));
    begun("n1", "n2");
    cluster.awaits("its loss", () -> !cluster.isAlive("n2"));
    cluster.pass(GRACE.multipliedBy(3));
    assertThat(protection("n1")).containsExactly("full", "full");
    assertThat(drain("n1", DrainRequest.look("n2")).cause()).hasMessageContaining("node n2 is not in the cluster");
    lose("n3");
    restartsFrom(2, List.of("n1", "n5", "n1", "n4"));
  }

  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"verify, 1", "restore, 1", "restore, 2", "mend, 1", "mend, 2"})
  void aTargetThatIsLostMeanwhileIsReplaced(String verb, int number) throws IOException {
    written(FOUR, List.of("n5", "n6"), "SCR_COPY_TYPE", "XOR");
    at(verb, number, () -> lose("n5"));
    begun("n1", "n2");
    cluster.awaits("its loss", () -> !cluster.isAlive("n5"));
    cluster.pass(Duration.ofSeconds(10));
    awaitDrained("n1", "n2");
    lose("n2");
    lose("n3");
    restartsFrom(2, List.of("n1", "n6", "n1", "n4"));
  }

  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"verify, 1", "restore, 1", "mend, 1", "protect, 1", "protect-commit, 1", "protect-commit, 2"})
  void aRunThatBeginsElsewhereMeanwhileIsNotHeldUpAndTheDrainGoesOnBehindIt(String verb, int number)
      throws IOException {
    boolean newSets = verb.startsWith("protect");
    written(FOUR, newSets ? List.of() : List.of("n5"), "SCR_COPY_TYPE", "XOR");
    List<String> nodes = List.of("n1", newSets ? "n3" : "n5", "n3", "n4");
    VirtualRun next = run(nodes);
    Promise<Void> end = Promise.promise();
    List<Future<Integer>> ranks = new ArrayList<>();
    at(verb, number, () -> ranks.addAll(next.start(session -> next.restart(session)
        .compose(step -> next.checkpoint(session, 3).map(step)).compose(step -> end.future().map(step))
        .compose(step -> session.finish().map(step)))));
    begun("n1", "n2");
    cluster.awaits("its checkpoint", () -> events("dataset-complete").size() == 3);
    cluster.pass(Duration.ofSeconds(5));
    end.complete();
    ranks.forEach(rank -> assertThat(cluster.await(rank).result()).isEqualTo(2));
    awaitDrained("n1", "n2");
    lose("n2");
    cluster.pass(Duration.ofSeconds(5));
    assertThat(protection("n1")).containsOnly("full");
    restartsFrom(3, nodes);
  }

  @Test
  void aDaemonThatIsStartedAgainIsNotDrained() throws IOException {
    written(FOUR, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    begun("n1", "n2");
    awaitDrained("n1", "n2");
    cluster.kill("n2");
    cluster.start("n2");
    cluster.launch();
    cluster.pass(Duration.ofSeconds(10));
    assertThat(state("n1", "n2")).isEqualTo("NONE");
    restartsFrom(2, FOUR);
  }

  @Test
  void anotherNodeIsDrainedBesideIt() throws IOException {
    written(FOUR, List.of("n5", "n6"), "SCR_COPY_TYPE", "XOR");
    begun("n1", "n2");
    begun("n1", "n3");
    awaitDrained("n1", "n2");
    awaitDrained("n1", "n3");
    lose("n2");
    lose("n3");
    cluster.pass(Duration.ofSeconds(5));
    assertThat(protection("n1")).containsExactly("full", "full");
    lose("n4");
    restartsFrom(2, List.of("n1", "n5", "n6", "n1"));
  }

  @Test
  void withoutHealingItKeepsWithinTheBudgetAndSaysHowFarItIs() throws IOException {
    written(List.of("n1", "n1", "n2", "n2", "n3", "n3"), List.of("n4"), "SCR_COPY_TYPE", "XOR", "SCR_HEAL_BW", "500",
        "SCR_HEAL_SECONDS", "0");
    begun("n1", "n2");
    TreeSet<Integer> seen = new TreeSet<>();
    JsonObject now = drain("n1", DrainRequest.look("n2")).result();
    while (now.getString("state").equals("DRAINING")) {
      seen.add(now.getInteger("percent"));
      cluster.pass(Duration.ofSeconds(5));
      now = drain("n1", DrainRequest.look("n2")).result();
    }
    assertThat(now.getString("state")).isEqualTo("DRAINED");
    assertThat(seen).contains(0, 50).hasSizeGreaterThan(4);
    lose("n2");
    restartsFrom(2, List.of("n1", "n1", "n4", "n4", "n3", "n3"));
  }
}
