package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a parallel file system that hangs stops nothing but its own work. Method: whole nodes in virtual time on a disk
 * in memory, of which the prefix directory does not answer for minutes; seeds are the tests' parameters.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PrefixHangTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final Duration HANG = Duration.ofMinutes(9);

  private final FaultyDisk disk = new FaultyDisk();
  private VirtualCluster cluster;
  private Instant end = Instant.MIN;

  @AfterEach
  void close() throws Exception {
    disk.close();
  }

  private VirtualCluster cluster(long seed, Map<String, String> parameters) throws Exception {
    cluster = VirtualClusters.in(
        new Random(seed), disk.directory("/job"), parameters, new LocalFiles(disk.system()));
    disk.trouble((_, what) -> {
      if (what.contains(" " + cluster.prefix())) {
        hold();
      }
    });
    disk.looks(path -> {
      if (path.startsWith(cluster.prefix())) {
        hold();
      }
    });
    cluster.start(NODES);
    return cluster;
  }

  /** An operation on the prefix directory is answered when the hang is over. */
  private void hold() {
    Duration left = Duration.between(cluster.now(), end);
    if (left.isPositive()) {
      cluster.time().pass(left);
    }
  }

  private void hang() {
    end = cluster.now().plus(HANG);
  }

  private static Future<Duration> timed(VirtualCluster cluster, Future<?> work, Instant begun) {
    return work.map(_ -> Duration.between(begun, cluster.now()));
  }

  private String status(String node) {
    ScrClient client = cluster.client(node);
    try {
      return cluster.await(Future.fromCompletionStage(client.status())).result().toString();
    } finally {
      client.close();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void phasesGoOnAndAreNamedToPeopleAndTheFlushesFollow(long seed) throws Exception {
    cluster(seed, Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Future<Duration>> phases = run.start(session -> run.checkpoints(session, 1, 2).compose(_ -> {
      if (session.rank() == 0) {
        hang();
      }
      Instant begun = cluster.now();
      return timed(cluster, run.checkpoints(session, 3, 8), begun);
    }).compose(took -> session.finish().map(took)));
    cluster.awaits("a hang", () -> end.isAfter(Instant.MIN));
    cluster.pass(Duration.ofMinutes(2));
    assertThat(cluster.story()).contains("step-8");
    assertThat(status("n1")).containsPattern("node n1, prefix: no answer for 1?[0-9]{2} s: ");
    assertThat(phases).as("finalize waits for its flush").noneMatch(Future::isComplete);
    for (Future<Duration> phase : phases) {
      assertThat(cluster.await(phase).result()).as("six phases").isLessThan(Duration.ofSeconds(60));
    }
    assertThat(cluster.now()).isAfter(end);
    assertThat(status("n1")).doesNotContain("no answer");
    VirtualRun next = new VirtualRun(cluster, NODES);
    assertThat(next.steps(9, 9)).isEqualTo(8);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aRunThatHasItsCheckpointInTheCachesBeginsAmidTheHang(long seed) throws Exception {
    cluster(seed, Map.of("SCR_FLUSH", "0", "SCR_CACHE_SIZE", "2"));
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 2)).isZero();
    hang();
    Instant begun = cluster.now();
    VirtualRun next = new VirtualRun(cluster, NODES);
    List<Future<Integer>> ranks = next.start(session -> next.restart(session).compose(step ->
        next.checkpoints(session, 3, 4).compose(_ -> session.finish()).map(step)));
    for (Future<Integer> rank : ranks) {
      assertThat(cluster.await(rank).result()).as("%s", rank.cause()).isEqualTo(2);
    }
    assertThat(Duration.between(begun, cluster.now())).isLessThan(Duration.ofSeconds(60));
  }

  /** The node that is lost led, and had rank 0: it alone had read the configuration of the run before. */
  @ParameterizedTest(name = "seed {0}, with a file: {1}")
  @CsvSource({"1, false", "2, true", "3, true", "4, false"})
  void soDoesOneOfWhichALostNodeAloneHadReadTheConfiguration(long seed, boolean hasFile) throws Exception {
    cluster(seed, Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    if (hasFile) {
      Files.writeString(cluster.prefix().resolve(".scrconf"), "SCR_CACHE_SIZE=2\nSCR_COPY_TYPE=PARTNER\n");
    }
    assertThat(new VirtualRun(cluster, NODES).steps(1, 2)).isZero();
    cluster.start("n4");
    cluster.kill("n1");
    cluster.loseStorage("n1");
    hang();
    VirtualRun next = new VirtualRun(cluster, "n4", "n2", "n3");
    List<Future<Integer>> ranks = next.start(session -> next.restart(session).compose(step ->
        next.checkpoints(session, 3, 3).compose(_ -> session.finish()).map(step)));
    for (Future<Integer> rank : ranks) {
      assertThat(cluster.await(rank).result()).as("%s", rank.cause()).isEqualTo(2);
    }
    assertThat(cluster.now()).isBefore(end);
    DatasetStore store = cluster.store("n2");
    assertThat(store.find(store.newestId()).orElseThrow().scheme())
        .isEqualTo(hasFile ? Scheme.PARTNER : Scheme.XOR);
  }

  @Test
  void aRunWithoutAnyCheckpointIsToldThatTheDirectoryDoesNotAnswer() throws Exception {
    cluster(1, Map.of("SCR_FLUSH", "0"));
    hang();
    Instant begun = cluster.now();
    VirtualRun run = new VirtualRun(cluster, NODES);
    for (Future<Object> rank : run.start(_ -> Future.succeededFuture())) {
      assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.IO)).hasMessageContaining("no answer for");
    }
    assertThat(Duration.between(begun, cluster.now())).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void aRunWhoseCheckpointIsInThePrefixDirectoryAloneDoesNotStartWithoutIt() throws Exception {
    cluster(2, Map.of("SCR_FLUSH", "1"));
    assertThat(new VirtualRun(cluster, NODES).steps(1, 2)).isZero();
    cluster.loseCaches(NODES);
    hang();
    for (Future<Object> rank : new VirtualRun(cluster, NODES).start(_ -> Future.succeededFuture())) {
      assertThat(cluster.await(rank).cause()).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.IO)).hasMessageContaining("no answer for");
    }
    cluster.pass(HANG);
    VirtualRun next = new VirtualRun(cluster, NODES);
    assertThat(next.steps(3, 3)).isEqualTo(2);
  }

  @Test
  void whatIsPlacedAmidTheHangIsPublishedUnderItsOwnName() throws Exception {
    cluster(5, Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1"));
    VirtualRun run = new VirtualRun(cluster, "n1", "n2");
    run.all(session -> {
      if (session.rank() == 0) {
        hang();
      }
      return session.startOutput("first", DatasetFlags.CHECKPOINT).compose(phase -> phase.complete(true))
          .compose(_ -> run.checkpoint(session, 1)).compose(_ -> session.finish());
    });
    assertThat(cluster.prefix().resolve("step-1/rank-1-2")).hasBinaryContent(RankProgram.bytes(1, 1, 2));
  }

  @Test
  void theScrubOfPublishedDatasetsStopsNobodyAndGoesOnAfterwards() throws Exception {
    cluster(6, Map.of("SCR_FLUSH", "1", "SCR_CACHE_SIZE", "2", "SCR_SCRUB_PREFIX_SECONDS", "60"));
    assertThat(new VirtualRun(cluster, NODES).steps(1, 2)).isZero();
    hang();
    cluster.pass(Duration.ofMinutes(2));
    Instant begun = cluster.now();
    VirtualRun next = new VirtualRun(cluster, NODES);
    List<Promise<Void>> written = List.of(Promise.promise(), Promise.promise(), Promise.promise());
    List<Future<Integer>> ranks = next.start(session -> next.restart(session).compose(step ->
        next.checkpoints(session, 3, 3).compose(_ -> {
          written.get(session.rank()).complete();
          return Future.all(written.stream().map(Promise::future).toList());   // none ends before the last is answered
        }).map(step)));
    for (Future<Integer> rank : ranks) {
      assertThat(cluster.await(rank).result()).as("%s", rank.cause()).isEqualTo(2);
    }
    assertThat(Duration.between(begun, cluster.now())).isLessThan(Duration.ofSeconds(60));
    assertThat(cluster.now()).isBefore(end);
    int before = cluster.bus().events("published-verified").size();
    cluster.pass(HANG.plusMinutes(5));
    assertThat(cluster.bus().events("published-verified")).hasSizeGreaterThan(before);
    assertThat(cluster.bus().events("published-damaged")).isEmpty();
  }

  private Optional<FlushState> flush() {
    return cluster.store("n1").find(1).map(DatasetRecord::flush);
  }

  /** What is wanted is written down in the caches; the flush waits for the directory. */
  @Test
  void anOperatorsFlushIsTakenMeanwhile() throws Exception {
    cluster(1, Map.of("SCR_FLUSH", "0"));
    new VirtualRun(cluster, NODES).steps(1, 1);
    hang();
    ScrClient client = cluster.client("n2");
    Future<Duration> taken = timed(cluster,
        Future.fromCompletionStage(client.operate(new OperatorRequest(OperatorVerb.FLUSH, 1))), cluster.now());
    assertThat(cluster.await(taken).result()).isLessThan(Duration.ofSeconds(30));
    client.close();
    assertThat(flush()).contains(FlushState.WANTED);
    cluster.awaits("it is there", () -> flush().equals(Optional.of(FlushState.DONE)));
  }
}
