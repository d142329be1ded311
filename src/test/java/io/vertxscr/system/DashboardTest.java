package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.service.Loop;
import io.vertxscr.service.dashboard.DashboardFeed;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.verticle.NodeServices;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: any daemon draws the whole cluster, says what a loss would cost, and tells what happens. In virtual time. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(240)
class DashboardTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  @TempDir
  Path directory;
  private VirtualCluster cluster;

  private void start(Map<String, String> parameters) throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), parameters);
    cluster.start(NODES);
    cluster.start("n5");
  }

  private JsonObject picture(String node) {
    return cluster.onLoop(node, () -> cluster.services(node).picture().now()).result();
  }

  private Future<JsonObject> loss(String node, String... lost) {
    return cluster.onLoop(node, () -> cluster.services(node).picture().lossOf(List.of(lost)));
  }

  private JsonObject status(String node) {
    ScrClient client = cluster.client(node);
    try {
      return new JsonObject(cluster.await(Future.fromCompletionStage(client.status())).result());
    } finally {
      client.close();
    }
  }

  /** As text by text, since the free space of this machine's file systems changes. */
  private static JsonObject steady(JsonObject status) {
    JsonObject steady = new JsonObject(status.encode());
    steady.remove("version");
    for (String places : List.of("stores", "prefixes")) {
      steady.getJsonObject("cluster").getJsonArray(places).forEach(place -> ((JsonObject) place).remove("freeBytes"));
    }
    return steady;
  }

  private static List<String> drains(JsonObject picture) {
    return picture.getJsonObject("losses").getJsonArray("drain").stream().map(JsonObject.class::cast)
        .map(drain -> drain.getBoolean("may") + " " + drain.getJsonArray("nodes").stream().sorted().toList()).sorted()
        .toList();
  }

  @Test
  void itHasTheStatusAndWhatLossesCostBeforeAndAfterThem() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2", "SCR_COPY_TYPE", "XOR"));
    assertThat(picture("n5").containsKey("losses")).as("nothing to lose").isFalse();
    new VirtualRun(cluster, NODES).steps(1, 2);
    for (String asked : List.of("n1", "n5")) {
      JsonObject picture = picture(asked);
      assertThat(steady(picture.getJsonObject("status"))).isEqualTo(steady(status(asked)));
      JsonObject losses = picture.getJsonObject("losses");
      assertThat(losses.getJsonObject("restart").getInteger("id")).isEqualTo(2);
      assertThat(losses.getJsonArray("one")).singleElement().satisfies(kind ->
          assertThat(((JsonObject) kind).getBoolean("costsWork")).isFalse());
      assertThat(losses.getJsonArray("two").getJsonObject(0).getLong("count")).as("pairs within the set").isEqualTo(6);
      assertThat(losses.getJsonObject("layout").getJsonArray("sets"))
          .isEqualTo(new JsonArray().add(new JsonArray(List.of(NODES))));
      assertThat(drains(picture)).containsExactly("true [n1, n2, n3, n4, n5]");
      assertThat(picture.getJsonObject("interval").getJsonArray("levels")).isNotEmpty();
    }

    cluster.kill("n2");
    cluster.pass(Duration.ofSeconds(30));
    JsonObject degraded = picture("n5");
    assertThat(steady(degraded.getJsonObject("status"))).isEqualTo(steady(status("n5")));
    assertThat(drains(degraded)).containsExactly("false [n1, n3, n4]", "true [n5]");
    JsonObject n3 = loss("n5", "n3").result();
    assertThat(n3.getBoolean("costsWork")).isTrue();
    assertThat(n3.getJsonObject("drain").getJsonArray("reasons").getString(0)).isEqualTo("checkpoints 2 'step-2', 1"
        + " 'step-1' would be lost: what is left in the caches does not suffice, and the prefix directory has no copy;"
        + " flush first");
    assertThat(loss("n1", "n5").result().getJsonObject("drain").getBoolean("may")).isTrue();
    assertThat(loss("n1", "n9").cause()).isInstanceOfSatisfying(ScrException.class, failure ->
        assertThat(failure.fault()).isEqualTo(Fault.BAD_REQUEST));

    cluster.start("n2");
    new VirtualRun(cluster, NODES).steps(3, 3);
    assertThat(drains(picture("n5"))).containsExactly("true [n1, n2, n3, n4, n5]");
  }

  @Test
  void duringARunItsNodesMayNotBeDrainedAndSparesMay() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Integer> ready = new ArrayList<>();
    Promise<Void> goOn = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, 1).compose(_ -> {
      ready.add(session.rank());
      return goOn.future();
    }).compose(_ -> session.finish()));
    cluster.awaits("a checkpoint of all", () -> ready.size() == NODES.length);
    assertThat(drains(picture("n5"))).containsExactly("false [n1, n2, n3, n4]", "true [n5]");
    assertThat(loss("n2", "n1").result().getJsonObject("drain").getJsonArray("reasons"))
        .containsExactly("the run has ranks there and would end: halt it first");
    goOn.complete();
    ranks.forEach(cluster::await);
  }

  private Future<Void> operate(String node, OperatorVerb what, int dataset) {
    return cluster.onLoop(node, () -> cluster.services(node).operators().ask(new OperatorRequest(what, dataset)));
  }

  private List<String> datasets() {
    return status("n5").getJsonObject("cluster").getJsonArray("datasets").stream().map(JsonObject.class::cast)
        .map(dataset -> dataset.getInteger("dataset") + " " + dataset.getString("flush")).toList();
  }

  @Test
  void anOperatorFlushesAndDropsAtAnyNode() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "XOR"));
    new VirtualRun(cluster, NODES).steps(1, 2);
    cluster.kill("n2");
    cluster.pass(Duration.ofSeconds(30));
    assertThat(operate("n5", OperatorVerb.FLUSH, 2).succeeded()).as("rank 1 is rebuilt for it").isTrue();
    cluster.awaits("it is there", () -> datasets().equals(List.of("2 DONE", "1 NOT_WANTED")));
    assertThat(operate("n3", OperatorVerb.DROP, 1).succeeded()).isTrue();
    assertThat(datasets()).containsExactly("2 DONE");
    assertThat(Fault.of(operate("n3", OperatorVerb.DROP, 1).cause())).isEqualTo(Fault.NO_SUCH_DATASET);
    assertThat(Fault.of(operate("n3", OperatorVerb.FLUSH, 7).cause())).isEqualTo(Fault.NO_SUCH_DATASET);
  }

  /** The run begins with what is dropped, and nobody drops it, or with the one before. @param ms between the two */
  @ParameterizedTest
  @ValueSource(ints = {-200, -100, -60, -30, 0, 30, 60, 100, 200})
  void whatARunBeginsWithIsNotDroppedUnderIt(int ms) throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "XOR"));
    new VirtualRun(cluster, NODES).steps(1, 2);
    ScrClient operator = cluster.client("n5");
    Future<?> dropped = cluster.later(200 + Math.max(0, ms)).compose(_ ->
        Future.fromCompletionStage(operator.operate(new OperatorRequest(OperatorVerb.DROP, 2))));
    cluster.pass(Duration.ofMillis(200 + Math.max(0, -ms)));
    int restarted = new VirtualRun(cluster, NODES).steps(3, 3);
    if (cluster.await(dropped).succeeded()) {
      assertThat(restarted).isEqualTo(1);
    } else {
      assertThat(Fault.of(dropped.cause())).isEqualTo(Fault.WRONG_STATE);
      assertThat(restarted).isEqualTo(2);
    }
    operator.close();
  }

  /** The application has written one step twice; the older one is of no use. */
  @Test
  void whatIsDroppedIsTheDatasetOfThatNumberAndNoOtherOfItsName() throws Exception {
    start(Map.of("SCR_FLUSH", "2", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "XOR"));
    new VirtualRun(cluster, NODES).steps(1, 1);
    new VirtualRun(cluster, NODES).steps(1, 1);
    cluster.awaits("it is there", () -> datasets().equals(List.of("2 DONE", "1 DONE")));

    assertThat(operate("n3", OperatorVerb.DROP, 1).succeeded()).isTrue();
    assertThat(datasets()).containsExactly("2 DONE");
    assertThat(index()).extracting(Index.Entry::id).containsExactly(2);
    assertThat(operate("n3", OperatorVerb.DROP, 2).succeeded()).isTrue();
    assertThat(datasets()).isEmpty();
    assertThat(index()).isEmpty();
  }

  /** Its copies would count as flushed, and be evicted, and nothing of it would be in the prefix directory. */
  @Test
  void whatANewerOneHasReplacedIsNotFlushed() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "XOR"));
    new VirtualRun(cluster, NODES).steps(1, 1);
    new VirtualRun(cluster, NODES).steps(1, 1);
    assertThat(operate("n3", OperatorVerb.FLUSH, 2).succeeded()).isTrue();
    cluster.awaits("it is there", () -> datasets().equals(List.of("2 DONE", "1 NOT_WANTED")));

    Future<Void> older = operate("n3", OperatorVerb.FLUSH, 1);
    assertThat(Fault.of(older.cause())).isEqualTo(Fault.WRONG_STATE);
    assertThat(older.cause()).hasMessageContaining("dataset 2 \"step-1\", which is newer, has its names there");
    assertThat(datasets()).containsExactly("2 DONE", "1 NOT_WANTED");

    assertThat(operate("n3", OperatorVerb.DROP, 2).succeeded()).isTrue();
    assertThat(operate("n3", OperatorVerb.FLUSH, 1).succeeded()).isTrue();
    cluster.awaits("it is there", () -> datasets().equals(List.of("1 DONE")));
    assertThat(index()).extracting(Index.Entry::id).containsExactly(1);
  }

  @Test
  void whatWouldBeDeletedAtOnceIsNotFlushed() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "4", "SCR_COPY_TYPE", "XOR", "SCR_PREFIX_SIZE", "2"));
    new VirtualRun(cluster, NODES).steps(1, 4);
    for (int dataset : List.of(2, 3)) {
      assertThat(operate("n3", OperatorVerb.FLUSH, dataset).succeeded()).isTrue();
      cluster.awaits("it is there", () -> datasets().contains(dataset + " DONE"));
    }
    Future<Void> older = operate("n3", OperatorVerb.FLUSH, 1);
    assertThat(Fault.of(older.cause())).isEqualTo(Fault.WRONG_STATE);
    assertThat(older.cause()).hasMessageContaining("SCR_PREFIX_SIZE=2 keeps newer ones there");
    assertThat(datasets()).contains("1 NOT_WANTED");
    assertThat(operate("n3", OperatorVerb.FLUSH, 4).succeeded()).isTrue();
    cluster.awaits("it is there", () -> datasets().contains("4 DONE"));
  }

  private List<Index.Entry> index() {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()), PatientLocks.user("test", Duration.ofSeconds(10)))
        .read().index().entries();
  }

  @Test
  void duringARunNothingOfItIsDroppedAndItCanBeHalted() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "XOR"));
    assertThat(Fault.of(cluster.onLoop("n5", () -> cluster.services("n5").operators().halt(false)).cause()))
        .isEqualTo(Fault.WRONG_STATE);
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Integer> ready = new ArrayList<>();
    Promise<Void> goOn = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, 2).compose(_ -> {
      ready.add(session.rank());
      return goOn.future();
    }).compose(_ -> session.finish()));
    cluster.awaits("a checkpoint of all", () -> ready.size() == NODES.length);
    assertThat(operate("n5", OperatorVerb.DROP, 1).cause()).hasMessageContaining("halt it before");
    assertThat(operate("n5", OperatorVerb.FLUSH, 2).cause()).hasMessageContaining("may still be written");
    assertThat(operate("n5", OperatorVerb.FLUSH, 1).succeeded()).isTrue();
    assertThat(cluster.onLoop("n5", () -> cluster.services("n5").operators().halt(false)).succeeded()).isTrue();
    assertThat(Halts.of(cluster.prefix()).read().reason()).contains("JOB_HALTED");
    goOn.complete();
    ranks.forEach(cluster::await);
    cluster.awaits("it is there", () -> datasets().contains("1 DONE"));
  }

  @Test
  void aPrefixDirectoryThatHangsIsNotWaitedFor() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    new VirtualRun(cluster, NODES).steps(1, 1);
    cluster.hangStorage("n5", true);
    JsonObject picture = picture("n1");
    assertThat(picture.getJsonObject("status").getJsonObject("cluster").getJsonArray("datasets")).hasSize(1);
    cluster.hangStorage("n5", false);
  }

  private static final class Seen implements DashboardFeed.Watcher {
    private final List<JsonObject> pictures = new ArrayList<>();
    private final List<JsonObject> events = new ArrayList<>();

    @Override
    public void picture(JsonObject picture) {
      pictures.add(picture);
    }

    @Override
    public void events(List<JsonObject> some) {
      events.addAll(some);
    }

    List<String> types() {
      return events.stream().map(event -> event.getString("type") + " " + event.getInteger("dataset")).toList();
    }
  }

  private DashboardFeed feed(String node) {
    NodeServices services = cluster.services(node);
    return new DashboardFeed(cluster.time().loop(), services.picture()::now, services.events(),
        () -> List.of(NODES).stream().filter(cluster::isAlive).toList());
  }

  @Test
  void whoLooksIsToldWhatHappenedAndHappensEachEventOnce() throws Exception {
    start(Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2", "SCR_COPY_TYPE", "XOR"));
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.steps(1, 1);
    DashboardFeed feed = feed("n3");
    Seen first = new Seen();
    feed.watch(first);
    cluster.awaits("a picture and events", () -> !first.pictures.isEmpty() && !first.events.isEmpty());
    assertThat(first.types()).contains("phase-started 1", "dataset-complete 1");
    assertThat(first.events).doesNotHaveDuplicates();
    Seen second = new Seen();
    feed.watch(second);
    assertThat(second.pictures).containsExactly(first.pictures.getLast());
    assertThat(second.events).isEqualTo(first.events);
    feed.leave(second);

    run.steps(2, 2);
    feed.happened("n1", "dataset-complete");
    cluster.awaits("it is told", () -> first.types().contains("dataset-complete 2"));
    cluster.awaits("it is drawn", () -> first.pictures.getLast().getJsonObject("losses").getJsonObject("restart")
        .getInteger("id") == 2);
    cluster.pass(Duration.ofMillis(2 * 10_000));
    assertThat(first.types().stream().filter("dataset-complete 2"::equals)).hasSize(1);
    assertThat(second.types()).doesNotContain("dataset-complete 2");

    feed.leave(first);
    int pictures = first.pictures.size();
    feed.happened("n1", "dataset-complete");
    cluster.pass(Duration.ofMinutes(1));
    assertThat(first.pictures).hasSize(pictures);
  }

  /** Goal: those who look at a cluster that answers slowly see it change all the same. */
  @Test
  void behindASlowPictureTheNextOneIsAtMostOneRoundAway() throws Exception {
    start(Map.of("SCR_FLUSH", "0"));
    Loop loop = cluster.time().loop();
    List<Long> begunMs = new ArrayList<>();
    DashboardFeed feed = new DashboardFeed(loop, () -> {
      begunMs.add(loop.nanoTime() / 1_000_000);
      Promise<JsonObject> picture = loop.promise();
      loop.after(30_000, () -> picture.complete(new JsonObject()));
      return picture.future();
    }, cluster.services("n1").events(), List::of);
    Seen seen = new Seen();
    feed.watch(seen);
    for (int pictures = 1; pictures <= 3; pictures++) {
      int drawn = pictures;
      cluster.awaits("picture " + drawn, () -> seen.pictures.size() == drawn);
      feed.happened("n1", "dataset-complete");
    }
    cluster.awaits("the fourth is begun", () -> begunMs.size() == 4);
    for (int i = 1; i < 4; i++) {
      assertThat(begunMs.get(i) - begunMs.get(i - 1)).isBetween(30_000L, 30_000L + 10_000L);
    }
    feed.leave(seen);
  }

  /** Method: a checkpoint of some nodes, the others are spares. -Dnodes=1000 takes minutes, most for their joins. */
  @Test
  void manyNodesAreDrawn() throws Exception {
    int nodes = Integer.getInteger("nodes", 80);
    cluster = VirtualClusters.in(new Random(1), directory.resolve("many"),
        Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    int busy = Integer.getInteger("busy", 64);
    String[] all = IntStream.rangeClosed(1, nodes).mapToObj(node -> "n" + node).toArray(String[]::new);
    long startNs = System.nanoTime();
    cluster.start(all);
    new VirtualRun(cluster, Arrays.copyOf(all, busy)).steps(1, 1);
    long runNs = System.nanoTime();
    JsonObject picture = picture("n7");
    long drawnNs = System.nanoTime();
    int bytes = picture.encode().length();
    System.out.printf("%d nodes: run %d ms, picture %d ms, %d bytes%n", nodes,
        TimeUnit.NANOSECONDS.toMillis(runNs - startNs), TimeUnit.NANOSECONDS.toMillis(drawnNs - runNs), bytes);
    assertThat(picture.getJsonObject("status").getJsonArray("nodes")).hasSize(nodes);
    assertThat(picture.getJsonObject("losses").getJsonArray("two").getJsonObject(0).getLong("count"))
        .as("pairs within a set of 8").isEqualTo(busy / 8 * 28L);
    assertThat(bytes).isLessThan(1_000_000);
  }
}
