package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.storage.DatasetStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: nodes that are left keep a checkpoint of absent nodes until a newer one takes its place. Method: nodes in
 * virtual time; more of one set than its tolerance go and come back with their storage. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class AbsentNodesTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final String[] ALL = {"n1", "n2", "n3", "n4"};
  private static final String[] WITH_SPARES = {"n1", "n2", "n5", "n6"};

  @TempDir
  Path directory;

  private VirtualCluster cluster(Map<String, String> more) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), more);
    cluster.start(ALL);
    return cluster;
  }

  private static void lose(VirtualCluster cluster, String... nodes) {
    List.of(nodes).forEach(cluster::kill);
    cluster.launch();
  }

  private static void comeBack(VirtualCluster cluster, String... nodes) {
    cluster.start(nodes);
    cluster.launch();
  }

  private static List<Integer> held(VirtualCluster cluster, String node) {
    return cluster.store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }

  private static boolean isFlushed(DatasetStore store, int id) {
    return store.find(id).map(DatasetRecord::flush).filter(FlushState.DONE::equals).isPresent();
  }

  /** A run that restarts where it can, writes these steps, and crashes when all ranks have come so far. */
  private static int steps(VirtualRun run, int first, int last) {
    Barrier crash = new Barrier(ALL.length);
    List<Integer> from = run.all(session ->
        run.restart(session).compose(step ->
            run.checkpoints(session, first, last).compose(_ -> crash.meet()).map(step)));
    assertThat(from).containsOnly(from.getFirst());
    return from.getFirst();
  }

  /** The same, until the daemons know that it is over. */
  private static int stepsAndCrash(VirtualCluster cluster, VirtualRun run, int first, int last) {
    int from = steps(run, first, last);
    cluster.launch();
    return from;
  }

  @Test
  void aCheckpointThatIsToBeFlushedIsKeptUntilItsNodesAreBackAndThenFlushed() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 1);
    cluster.awaits("the flush of 1", () -> isFlushed(cluster.store("n1"), 1));
    assertThat(steps(run, 2, 2)).isEqualTo(1);
    lose(cluster, "n3", "n4");                            // during its flush
    assertThat(isFlushed(cluster.store("n1"), 2)).isFalse();
    cluster.start("n5", "n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, WITH_SPARES), 1, 0)).isEqualTo(1);
    assertThat(held(cluster, "n1")).containsExactly(1, 2);
    assertThat(held(cluster, "n2")).containsExactly(1, 2);
    comeBack(cluster, "n3", "n4");
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    assertThat(stepsAndCrash(cluster, run, 1, 0)).isEqualTo(2);
  }

  @Test
  void aCheckpointThatNobodyWantsFlushedIsKeptUntilItsNodesAreBack() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 3);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, "n3", "n4");
    cluster.start("n5", "n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, WITH_SPARES), 1, 0)).isEqualTo(2);
    assertThat(held(cluster, "n1")).contains(3);
    comeBack(cluster, "n3", "n4");
    assertThat(stepsAndCrash(cluster, run, 1, 0)).isEqualTo(3);
  }

  @Test
  void anOlderCheckpointIsKeptToo() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "3"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 2);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, "n3", "n4");
    cluster.start("n5", "n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, WITH_SPARES), 1, 0)).isEqualTo(2);
    assertThat(held(cluster, "n1")).containsExactly(1, 2);
  }

  @Test
  void onceARunHasGoneOnItIsEvictedAndItsNodesDoNotBringItBack() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 3);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, "n3", "n4");
    cluster.start("n5", "n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, WITH_SPARES), 4, 4)).isEqualTo(2);
    cluster.awaits("3 is evicted", () -> !held(cluster, "n1").contains(3) && !held(cluster, "n2").contains(3));
    comeBack(cluster, "n3", "n4");
    assertThat(stepsAndCrash(cluster, run, 1, 0)).isEqualTo(4);
  }

  /** One node alone could rebuild it, as the set is of two. */
  @ParameterizedTest
  @ValueSource(strings = {"drop", "delete"})
  void whatIsRemovedMeanwhileIsNotOfferedWhenTheyAreBack(String how) throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, "n1", "n2");
    assertThat(run.steps(1, 2)).isZero();
    lose(cluster, "n2");
    removesItsCheckpoint(new VirtualRun(cluster, "n1", "n3"), how);
    comeBack(cluster, "n2");
    assertThat(held(cluster, "n2")).containsExactly(1, 2);
    assertThat(run.steps(3, 3)).isEqualTo(1);
    assertThat(held(cluster, "n2")).doesNotContain(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"drop", "delete"})
  void whatIsRemovedMeanwhileIsNotFlushedWhenTheyAreBack(String how) throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, "n1", "n2");
    cluster.bus().watch(sent -> {
      if (sent.address().equals("scr.n2.node.flush-copy") && sent.json().getInteger("datasetId") == 2) {
        cluster.kill("n2");
      }
    });
    run.start(session -> run.checkpoints(session, 1, 2));
    cluster.awaits("the loss", () -> !cluster.isAlive("n2"));
    cluster.launch();
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    removesItsCheckpoint(new VirtualRun(cluster, "n1", "n3"), how);
    cluster.bus().watch(_ -> { });
    cluster.start("n2");
    assertThat(cluster.store("n2").find(2).map(DatasetRecord::flush)).hasValue(FlushState.WANTED);
    cluster.launch();
    cluster.awaits("it is gone", () -> !held(cluster, "n2").contains(2));
    cluster.pass(Duration.ofMinutes(1));
    assertThat(held(cluster, "n1")).doesNotContain(2);
    assertThat(VirtualClusters.index(cluster).find(2)).isEmpty();
    assertThat(Files.exists(cluster.prefix().resolve("step-2"))).isEqualTo(how.equals("drop"));
  }

  private static void removesItsCheckpoint(VirtualRun run, String how) {
    run.all(session -> run.restart(session).compose(step -> {
      assertThat(step).isEqualTo(2);
      return how.equals("drop") ? session.drop("step-2") : session.delete("step-2");
    }).compose(_ -> session.finish()));
  }

  /** The run is on other nodes altogether, so all of the checkpoint that it has not found comes back. */
  @Test
  void aBranchThatTheProgramHasLeftIsNotPreferredToTheOneItIsOn() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 3);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, ALL);
    String[] others = {"n5", "n6", "n7", "n8"};
    cluster.start(others);
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, others), 4, 4)).isEqualTo(2);
    lose(cluster, others);
    comeBack(cluster, ALL);
    assertThat(stepsAndCrash(cluster, run, 1, 0)).as("step-3 is of the branch that was left").isEqualTo(2);
    lose(cluster, ALL);
    comeBack(cluster, others);
    comeBack(cluster, ALL);
    assertThat(stepsAndCrash(cluster, run, 1, 0)).as("the branch that it is on").isEqualTo(4);
  }

  @Test
  void aBranchThatTheProgramHasLeftIsBetterThanNone() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 3);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, ALL);
    String[] others = {"n5", "n6", "n7", "n8"};
    cluster.start(others);
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, others), 4, 4)).isEqualTo(2);
    lose(cluster, others);
    Files.delete(cluster.prefix().resolve("step-2/rank-0-0"));
    comeBack(cluster, ALL);
    List.of(ALL).forEach(node -> cluster.store(node).evict(2));
    assertThat(stepsAndCrash(cluster, run, 1, 0)).isEqualTo(3);
  }

  /** What is in the way of the rebuild passes; the published copy is damaged. */
  @Test
  void aFetchThatFailsTakesNothingFromTheCaches() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    stepsAndCrash(cluster, run, 1, 2);
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    lose(cluster, "n3");
    cluster.loseStorage("n3");
    cluster.disturb(_ -> (_, _) -> _ -> {
      throw new ScrException(Fault.NO_SPACE, "no room for a moment");
    });
    cluster.start("n5");
    Path damaged = cluster.prefix().resolve("step-2/rank-2-0");
    Files.write(damaged, new byte[1]);
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, "n1", "n2", "n5", "n4"), 1, 0)).isEqualTo(1);
    for (String node : List.of("n1", "n2", "n4")) {
      assertThat(held(cluster, node)).contains(2);
    }
    cluster.disturb(UnaryOperator.identity());
    lose(cluster, "n5");
    cluster.start("n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, "n1", "n2", "n6", "n4"), 1, 0)).isEqualTo(2);
  }

  @Test
  void oneErrorOfADiskAmidARebuildCostsNoCheckpoint() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    stepsAndCrash(cluster, new VirtualRun(cluster, ALL), 1, 2);
    lose(cluster, "n3");
    cluster.loseStorage("n3");
    boolean[] failed = new boolean[1];
    cluster.disturb(sources -> (layouts, fault) -> {
      if (!failed[0]) {
        failed[0] = true;
        throw new ScrException(Fault.IO, "Input/output error");
      }
      return sources.of(layouts, fault);
    });
    cluster.start("n5");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, "n1", "n2", "n5", "n4"), 1, 0)).isEqualTo(2);
    assertThat(failed[0]).isTrue();
  }

  @Test
  void noRunStartsWithoutTheOnlyCheckpointBecauseOfAFailureThatMayPass() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    stepsAndCrash(cluster, new VirtualRun(cluster, ALL), 1, 1);
    lose(cluster, "n3");
    cluster.loseStorage("n3");
    cluster.disturb(_ -> (_, _) -> _ -> {
      throw new ScrException(Fault.NO_SPACE, "no room for a moment");
    });
    cluster.start("n5");
    VirtualRun next = new VirtualRun(cluster, "n1", "n2", "n5", "n4");
    for (Future<Integer> rank : next.start(next::restart)) {
      assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class, e -> {
        assertThat(e.fault()).isEqualTo(Fault.NO_SPACE);
        assertThat(e).hasMessageContaining("step-1").hasMessageContaining("no room for a moment")
            .hasMessageContaining("SCR_CACHE_PURGE=1");
      });
    }
    cluster.disturb(UnaryOperator.identity());
    lose(cluster, "n5");
    cluster.start("n6");
    assertThat(stepsAndCrash(cluster, new VirtualRun(cluster, "n1", "n2", "n6", "n4"), 1, 0)).isEqualTo(1);
  }

  /** The same file names in each checkpoint: the flush of the second one puts its files in the place of the first's. */
  @Test
  void aCheckpointThatIsReadInPlaceIsNotWrittenOverByAFlushBeforeItHasBeenRead() throws Exception {
    VirtualCluster cluster = cluster(Map.of(
        "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_CACHE_SIZE", "1", "SCR_FETCH_BYPASS", "1"));
    VirtualRun run = new VirtualRun(cluster, ALL);
    run.all(session -> rolling(cluster, session, 1).compose(_ -> session.finish()));
    Barrier crash = new Barrier(ALL.length);
    run.all(session -> rolling(cluster, session, 2).compose(_ -> crash.meet()));
    lose(cluster, "n3", "n4");                            // during the flush of 2
    cluster.start("n5", "n6");
    List<Future<byte[]>> read = new VirtualRun(cluster, WITH_SPARES).start(session -> session.restart()
        .compose(offered -> {
          assertThat(offered.orElseThrow().name()).isEqualTo("rolling-1");
          return cluster.later(60_000).compose(_ -> offered.get().route("rank-" + session.rank()))
              .map(AbsentNodesTest::bytes).compose(bytes ->
                  offered.get().complete(true).compose(_ -> cluster.later(60_000)).map(bytes));
        }));
    cluster.pass(Duration.ofSeconds(10));
    comeBack(cluster, "n3", "n4");
    for (int rank = 0; rank < ALL.length; rank++) {
      assertThat(cluster.await(read.get(rank)).result()).isEqualTo(RankProgram.bytes(rank, 1, 0));
    }
    cluster.awaits("the flush of 2", () -> isFlushed(cluster.store("n1"), 2));
    assertThat(cluster.prefix().resolve("rank-0")).hasBinaryContent(RankProgram.bytes(0, 2, 0));
  }

  private static byte[] bytes(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Future<Void> rolling(VirtualCluster cluster, VirtualSession session, int step) {
    return session.startOutput("rolling-" + step, DatasetFlags.CHECKPOINT).compose(phase ->
        phase.route(cluster.prefix() + "/rank-" + session.rank()).map(path -> {
          try {
            return Files.setLastModifiedTime(
                Files.write(path, RankProgram.bytes(session.rank(), step, 0)), FileTime.from(cluster.now()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }).compose(_ -> phase.complete(true)));
  }
}
