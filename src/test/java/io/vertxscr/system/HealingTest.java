package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetRecord;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what is lost with a node is made again, so that the next loss costs nothing. Method: nodes in virtual
 * time on real files, whose storage is deleted; a restart compares every byte. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class HealingTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Duration GRACE = Duration.ofSeconds(120);

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

  private List<JsonObject> events(String type) {
    return cluster.bus().events(type);
  }

  private void awaitHealed(int times) {
    cluster.awaits("healing", () -> events("heal-done").size() >= times);
  }

  private List<JsonObject> datasets(String node) {
    ScrClient client = cluster.client(node);
    try {
      return new JsonObject(cluster.await(Future.fromCompletionStage(client.status())).result())
          .getJsonObject("cluster").getJsonArray("datasets").stream().map(JsonObject.class::cast).toList();
    } finally {
      client.close();
    }
  }

  private List<String> protection(String node) {
    return datasets(node).stream().map(dataset -> dataset.getString("protection")).toList();
  }

  private void awaitWhole(String node) {
    for (int tries = 0; tries < 100; tries++) {
      cluster.pass(Duration.ofSeconds(10));
      if (protection(node).equals(List.of("full", "full"))) {
        return;
      }
    }
    throw new AssertionError("never whole, in\n" + cluster.story());
  }

  private List<Integer> held(String node) {
    return cluster.store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }

  private void restartsFrom(int step, List<String> nodes) {
    assertThat(run(nodes).steps(1, 0)).as("step of the restart").isEqualTo(step);
  }

  private JsonObject waysOfTheRestart() {
    return events("restored").getLast().getJsonObject("ranks");
  }

  @ParameterizedTest(name = "{0}, spares {1}")
  @CsvSource({"XOR, n5", "PARTNER, n5", "RS, n5 n6", "XOR, ''", "PARTNER, ''"})
  void afterALossAndItsHealingASecondLossCostsNothing(String scheme, String spareNames) throws IOException {
    List<String> spares = spareNames.isEmpty() ? List.of() : List.of(spareNames.split(" "));
    written(List.of("n1", "n2", "n3", "n4"), spares, "SCR_COPY_TYPE", scheme);
    lose("n2");
    cluster.pass(GRACE.minusSeconds(10));
    assertThat(events("heal-started")).as("within the grace").isEmpty();
    assertThat(protection("n1")).containsExactly("degraded", "degraded");
    awaitHealed(2);
    cluster.pass(Duration.ofSeconds(1));
    assertThat(events("heal-done").stream().map(event -> event.getInteger("dataset"))).containsExactly(2, 1);
    assertThat(events("heal-stopped")).isEmpty();
    assertThat(protection("n1")).containsExactly("full", "full");
    lose("n3");
    if (spares.isEmpty()) {
      restartsFrom(2, List.of("n1", "n1", "n4", "n4"));
    } else {
      assertThat(held("n5")).containsExactly(1, 2);
      restartsFrom(2, List.of("n1", "n5", spares.getLast().equals("n5") ? "n1" : "n6", "n4"));
    }
    assertThat(waysOfTheRestart().getInteger("rebuilt")).as("what the second loss took").isPositive();
  }

  @Test
  void aRunWithTheSpareInThePlaceOfTheLostNodeFindsItsFilesThere() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    lose("n2");
    awaitHealed(2);
    restartsFrom(2, List.of("n1", "n5", "n3", "n4"));
    assertThat(waysOfTheRestart().getMap()).containsEntry("kept", 4).containsEntry("rebuilt", 0);
    cluster.pass(Duration.ofSeconds(2));
    assertThat(events("protection-caught-up")).as("it was protected already").isEmpty();
  }

  /** The lost node comes back for the next run, which does not need the spare any more. */
  @Test
  void aSpareThatWasGivenPartsEvictsThemWhenTheyAreReplaced() throws IOException {
    List<String> four = List.of("n1", "n2", "n3", "n4");
    written(four, List.of("n5"), "SCR_COPY_TYPE", "XOR");
    lose("n2");
    awaitHealed(2);
    assertThat(held("n5")).containsExactly(1, 2);
    cluster.start("n2");
    cluster.launch();
    assertThat(run(four).steps(3, 3)).isEqualTo(2);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(held("n1")).containsExactly(2, 3);
    assertThat(held("n5")).as("of a dataset that the run still has").contains(2);
    assertThat(run(four).steps(4, 5)).isEqualTo(3);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(held("n5")).isEmpty();
    assertThat(held("n1")).containsExactly(4, 5);
    assertThat(protection("n1")).containsExactly("full", "full");
    lose("n4");
    restartsFrom(5, List.of("n1", "n2", "n3", "n5"));
  }

  @Test
  void aRunThatDiedWithTheNodeIsHealedToo() throws IOException {
    cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), Map.of("SCR_COPY_TYPE", "XOR"));
    cluster.start("n1", "n2", "n3", "n4", "n5");
    cluster.launch();
    VirtualRun run = run(List.of("n1", "n2", "n3", "n4"));
    Promise<Void> never = Promise.promise();
    run.start(session -> run.checkpoints(session, 1, 1).compose(_ -> never.future()));
    cluster.awaits("a checkpoint", () -> events("dataset-complete").size() == 1);
    cluster.pass(GRACE.multipliedBy(2));
    lose("n5");
    cluster.pass(GRACE.multipliedBy(2));
    assertThat(events("heal-started")).as("while the run is on").isEmpty();
    cluster.start("n5");
    lose("n2");
    awaitHealed(1);
    lose("n4");
    restartsFrom(1, List.of("n1", "n5", "n3", "n3"));
  }

  @Test
  void whileARunWaitsForItsLastRankItIsHealed() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    lose("n2");
    cluster.pass(Duration.ofSeconds(70));
    VirtualRun next = run(List.of("n1", "n5", "n3", "n4"));
    List<Future<Integer>> ranks = new ArrayList<>();
    for (int rank : List.of(0, 2, 3)) {
      ranks.add(next.start(rank, session -> next.restart(session).compose(step -> session.finish().map(step))));
    }
    awaitHealed(2);
    ranks.add(next.start(1, session -> next.restart(session).compose(step -> session.finish().map(step))));
    ranks.forEach(rank -> assertThat(cluster.await(rank).result()).isEqualTo(2));
    assertThat(waysOfTheRestart().getInteger("kept")).isEqualTo(4);
  }

  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"verify, 1", "space, 1", "restore, 1", "restore, 2", "mend, 1", "mend, 2"})
  void aTargetThatIsLostMeanwhileIsReplaced(String verb, int number) throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5", "n6"), "SCR_COPY_TYPE", "XOR");
    at(verb, number, () -> lose("n5"));
    lose("n2");
    cluster.awaits("the second loss", () -> !cluster.isAlive("n5"));
    awaitWhole("n1");
    assertThat(held("n6")).containsExactly(1, 2);
    lose("n3");
    restartsFrom(2, List.of("n1", "n6", "n6", "n4"));
  }

  /** The leader holds files, too; RS survives both. */
  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"inventory, 1", "verify, 1", "restore, 1", "mend, 1", "mend, 2"})
  void whereTheLeaderIsLostMeanwhileTheNextOneHeals(String verb, int number) throws IOException {
    written(List.of("n1", "n2", "n3", "n4", "n5"), List.of("n6", "n7"), "SCR_COPY_TYPE", "RS");
    lose("n2");
    cluster.pass(GRACE.minusSeconds(5));
    at(verb, number, () -> lose("n1"));
    cluster.awaits("the second loss", () -> !cluster.isAlive("n1"));
    awaitWhole("n3");
    lose("n3");
    lose("n4");
    restartsFrom(2, List.of("n6", "n7", "n5", "n6", "n7"));
  }

  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"verify, 1", "restore, 1", "mend, 1"})
  void aRunThatBeginsMeanwhileIsNotHeldUp(String verb, int number) throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    checkRunAt(verb, number, List.of("n1", "n5", "n3", "n4"));
  }

  /** Its ranks would not be where the sets that are being made want them. */
  @ParameterizedTest(name = "at {0}, number {1}")
  @CsvSource({"restore, 1", "protect, 1", "protect, 3", "layout, 2", "checksums, 1", "protect-commit, 1",
      "protect-commit, 2"})
  void norIsOneWhileNewSetsAreMade(String verb, int number) throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of(), "SCR_COPY_TYPE", "XOR");
    checkRunAt(verb, number, List.of("n4", "n1", "n1", "n3"));
  }

  private void checkRunAt(String verb, int number, List<String> nodes) throws IOException {
    List<Future<Integer>> ranks = new ArrayList<>();
    VirtualRun next = run(nodes);
    Promise<Void> end = Promise.promise();
    lose("n2");
    cluster.pass(GRACE.minusSeconds(5));
    at(verb, number, () -> ranks.addAll(next.start(session -> next.restart(session)
        .compose(step -> next.checkpoint(session, 3).map(step)).compose(step -> end.future().map(step))
        .compose(step -> session.finish().map(step)))));
    cluster.awaits("its checkpoint", () -> events("dataset-complete").size() == 3);
    cluster.pass(GRACE.multipliedBy(2));
    assertThat(events("run-over").stream().skip(1)).as("it goes on").isEmpty();
    end.complete();
    ranks.forEach(rank -> assertThat(cluster.await(rank).result()).isEqualTo(2));
    lose("n3");
    restartsFrom(3, nodes.stream().map(node -> node.equals("n3") ? "n1" : node).toList());
  }

  @ParameterizedTest(name = "{0} at {1}, number {2}")
  @CsvSource({"n3, restore, 1", "n3, protect, 1", "n1, protect, 2", "n4, checksums, 1", "n1, protect-commit, 1",
      "n4, protect-commit, 2", "n3, protect-commit, 3"})
  void aDaemonThatIsStartedAgainWhileNewSetsAreMadeLosesNothing(String node, String verb, int number)
      throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of(), "SCR_COPY_TYPE", "XOR");
    lose("n2");
    cluster.pass(GRACE.minusSeconds(5));
    at(verb, number, () -> cluster.kill(node));
    cluster.awaits("its end", () -> !cluster.isAlive(node));
    cluster.pass(Duration.ofSeconds(5));
    cluster.start(node);
    cluster.launch();
    awaitWhole(node);
    lose("n4");
    restartsFrom(2, List.of("n1", "n1", "n3", "n3"));
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

  @ParameterizedTest(name = "spares {0}, then {1} is lost")
  @CsvSource({"n5, n5", "n5, n3", "n5, n2", "'', n3", "'', n2"})
  void aNodeThatReturnsIsReconciled(String spareNames, String then) throws IOException {
    List<String> spares = spareNames.isEmpty() ? List.of() : List.of(spareNames);
    written(List.of("n1", "n2", "n3", "n4"), spares, "SCR_COPY_TYPE", "XOR");
    cluster.kill("n2");
    awaitHealed(2);
    cluster.start("n2");
    cluster.launch();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(protection("n1")).containsExactly("full", "full");
    assertThat(held("n2")).as("its copies stay").containsExactly(1, 2);
    cluster.pass(GRACE.multipliedBy(2));
    assertThat(events("heal-started")).as("nothing is done again").hasSize(2);
    lose(then);
    List<String> left = Stream.of("n1", "n2", "n3", "n4").map(node -> node.equals(then) ? "n1" : node).toList();
    restartsFrom(2, left);
    assertThat(run(left).steps(3, 4)).isEqualTo(2);
    assertThat(held(left.get(2))).as("superseded, with every copy").containsExactly(3, 4);
  }

  /**
   * The ranks have changed their nodes, so the redundancy sets are made anew behind the restart. Which nodes are still
   * told to use them depends on the seed.
   */
  @Test
  void aLeaderThatIsLostWhileNewSetsAreCommittedTakesNothingElseWithIt() throws IOException {
    for (int seed = 1; seed <= 16; seed++) {
      cluster = VirtualClusters.in(new Random(seed), directory.resolve("walk"), Map.of("SCR_COPY_TYPE", "XOR",
          "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "1", "SCR_HEAL_SECONDS", "0"));
      begin(List.of("n1", "n2", "n3", "n4"), List.of("n5"));
      at("protect-commit", 4, () -> lose("n1"));
      Promise<Void> never = Promise.promise();
      run(List.of("n1", "n3", "n2", "n4")).start(session -> never.future());
      cluster.awaits("the loss", () -> !cluster.isAlive("n1"));
      cluster.launch();
      restartsFrom(2, List.of("n5", "n2", "n3", "n4"));
    }
  }

  /** It comes back amid the rebuild of what it had; a power loss has taken its bytes and left their names. */
  @Test
  void aFlushTakesTheGoodCopyWhereANodeReturnsWithABadOne() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0");
    cluster.kill("n2");
    for (Path file : cachedFiles("n2", 2)) {
      Files.write(file, new byte[0]);
    }
    at("restore", 1, () -> cluster.start("n2"));
    VirtualClusters.flush(cluster, "n1", 2);
    assertThat(held("n2")).as("its copy stays").contains(2);
    cluster.loseCaches("n1", "n2", "n3", "n4", "n5");
    cluster.launch();
    restartsFrom(2, List.of("n1", "n2", "n3", "n4"));
  }

  /** As one that comes back with empty storage before its loss is noticed. */
  @Test
  void aFlushTakesTheOtherCopyWhereANodeHasNoneAnyMore() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0");
    cluster.kill("n2");
    awaitHealed(2);
    cluster.start("n2");
    cluster.launch();
    cluster.bus().watch(sent -> {
      if (sent.address().equals("scr.n2.node.flush-copy")) {
        cluster.store("n2").evict(2);
      }
    });
    VirtualClusters.flush(cluster, "n1", 2);
    assertThat(events("flush-failed")).as("by n2").hasSize(1);
  }

  private List<Path> cachedFiles(String node, int dataset) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("walk"))) {
      List<Path> files = all.filter(file -> file.toString().contains("/" + node + "/scr.dataset." + dataset + "/rank."))
          .filter(Files::isRegularFile).toList();
      assertThat(files).isNotEmpty();
      return files;
    }
  }

  @Test
  void aNodeThatReturnsWithinTheGraceIsNotHealedAround() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    cluster.kill("n2");
    cluster.pass(GRACE.minusSeconds(20));
    cluster.start("n2");
    cluster.pass(GRACE.multipliedBy(3));
    assertThat(events("heal-started")).isEmpty();
    assertThat(held("n5")).isEmpty();
    assertThat(protection("n1")).containsExactly("full", "full");
  }

  @Test
  void aNodeThatReturnsDuringItIsNotMadeTwice() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    cluster.kill("n2");
    cluster.pass(GRACE.minusSeconds(5));
    at("restore", 1, () -> cluster.start("n2"));
    cluster.awaits("its return", () -> cluster.isAlive("n2"));
    cluster.pass(GRACE.multipliedBy(3));
    assertThat(protection("n1")).containsExactly("full", "full");
    assertThat(events("heal-done")).as("nothing was left to do").isEmpty();
    lose("n2");
    awaitHealed(2);
    restartsFrom(2, List.of("n1", "n5", "n3", "n4"));
  }

  @Test
  void itCanBeSwitchedOff() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR", "SCR_HEAL_SECONDS", "0");
    lose("n2");
    cluster.pass(Duration.ofHours(12));
    assertThat(events("heal-started")).isEmpty();
    assertThat(held("n5")).isEmpty();
    assertThat(protection("n1")).containsExactly("degraded", "degraded");
    restartsFrom(2, List.of("n1", "n5", "n3", "n4"));
  }

  @Test
  void moreThanTheToleranceIsLeftAloneUntilSomeOfItIsBack() throws IOException {
    written(List.of("n1", "n2", "n3", "n4"), List.of("n5"), "SCR_COPY_TYPE", "XOR");
    lose("n2");
    cluster.kill("n3");
    cluster.pass(GRACE.multipliedBy(5));
    assertThat(events("heal-started")).isEmpty();
    assertThat(protection("n1")).containsExactly("lost", "lost");
    assertThat(Stream.of("n1", "n4").map(this::held)).allMatch(List.of(1, 2)::equals);
    cluster.start("n3");
    awaitHealed(2);
    lose("n4");
    restartsFrom(2, List.of("n1", "n5", "n3", "n1"));
  }

  @Test
  void withoutRoomItStaysDegradedWithTheReasonAndNothingIsEvicted() throws IOException {
    Path walk = Files.createDirectories(directory.resolve("walk"));
    Path system = Files.write(walk.resolve("scr.conf"), List.of("SCR_COPY_TYPE=XOR", "SCR_CACHE_SIZE=2",
        "SCR_CNTL_BASE=" + walk.resolve("cntl"), "SCR_CACHE_BASE=" + walk.resolve("cache"), "SCR_FLUSH=0",
        "SCR_JOB_ID=1", "SCR_USER_NAME=user",
        "STORE=" + walk.resolve("cache") + " COUNT=2 SIZE=" + 4 * 230_000));
    cluster = new VirtualCluster(new Random(SEED), Settings.load(Map.of(), Optional.of(system)),
        Files.createDirectories(walk.resolve("prefix")), _ -> LocalFiles.ofThisMachine());
    begin(List.of("n1", "n2", "n3", "n4"), List.of());
    lose("n2");
    cluster.awaits("the reason", () -> events("heal-stopped").size() == 2);
    assertThat(events("heal-stopped")).allMatch(event -> event.getString("fault").equals("NO_SPACE"));
    assertThat(datasets("n1")).allSatisfy(dataset -> {
      assertThat(dataset.getString("protection")).isEqualTo("degraded");
      assertThat(dataset.getString("notHealed")).contains("no node has room");
    });
    cluster.pass(Duration.ofHours(2));
    assertThat(events("heal-stopped")).as("told once").hasSize(2);
    assertThat(Stream.of("n1", "n3", "n4").map(this::held)).allMatch(List.of(1, 2)::equals);
    cluster.start("n5");
    awaitHealed(1);                                       // the newest; of both it would leave no room for a third
    assertThat(held("n5")).containsExactly(2);
    lose("n3");
    restartsFrom(2, List.of("n1", "n5", "n5", "n4"));
  }

  @Test
  void itIsNotFasterThanItMay() throws IOException {
    written(List.of("n1", "n1", "n2", "n2", "n3", "n3"), List.of("n4"), "SCR_COPY_TYPE", "XOR", "SCR_HEAL_BW", "500");
    long bytes = files("n2");
    lose("n2");
    cluster.awaits("the begin", () -> !events("heal-started").isEmpty());
    TreeSet<String> seen = new TreeSet<>();
    while (events("heal-done").size() < 2) {
      cluster.pass(Duration.ofSeconds(5));
      seen.addAll(protection("n1"));
    }
    long seconds = (events("heal-done").getLast().getLong("timeMs")
        - events("heal-started").getFirst().getLong("timeMs")) / 1000;
    assertThat(seconds).as("%d bytes at 500 a second, without the last batch", bytes)
        .isGreaterThan(bytes / 500 * 2 / 3);
    assertThat(seen).contains("healing 0 %", "healing 25 %", "healing 50 %", "full", "degraded");
  }

  private long files(String node) {
    return cluster.store(node).list().stream().flatMap((DatasetRecord record) -> record.ranks().stream())
        .mapToLong(rank -> rank.files().bytes()).sum();
  }
}
