package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.storage.Trees;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: the parameters of a restart have their effects: SCR_DISTRIBUTE, SCR_FETCH and others. */
class RestartParametersTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  private static FetchPolicy rules(boolean fetch, boolean distribute, boolean flush, boolean global, String current) {
    return new FetchPolicy(fetch, false, distribute, flush, global, Optional.ofNullable(current));
  }

  private TestCluster cluster(int flushEvery, FetchPolicy rules) throws Exception {
    return new TestCluster(vertx, directory,
        TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(flushEvery, false).restarting(rules), NODES);
  }

  /** Writes these steps and dies, with all ranks; the step that it began with. */
  private static int dies(TestCluster cluster, int first, int last, String... nodeOfRank) throws Exception {
    CyclicBarrier all = new CyclicBarrier(nodeOfRank.length);
    int began = cluster.all(scr -> {
      int from = RankProgram.restart(scr, 3);
      for (int step = first; step <= last; step++) {
        RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
      }
      all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      return from;
    }, nodeOfRank).getFirst();
    cluster.awaitOver(nodeOfRank);
    return began;
  }

  @Test
  void everySoManythCheckpointIsFlushedAlsoOverRestartsAndFetches() throws Exception {
    try (TestCluster cluster = cluster(3, FetchPolicy.STANDARD)) {
      dies(cluster, 1, 2, NODES);
      assertThat(flushed(cluster)).isEmpty();
      assertThat(dies(cluster, 3, 4, NODES)).as("from the caches").isEqualTo(2);
      assertThat(flushed(cluster)).containsExactly("step-3");
      for (String node : NODES) {
        cluster.lose(node);
        cluster.nodes().start(node);
      }
      assertThat(dies(cluster, 4, 5, NODES)).as("from the prefix directory").isEqualTo(3);
      assertThat(flushed(cluster)).containsExactly("step-3");
      assertThat(dies(cluster, 6, 6, NODES)).isEqualTo(5);
      assertThat(flushed(cluster)).containsExactly("step-3", "step-6");
    }
  }

  /** Else a bad one, of all, would double the time until the next is safe in the prefix directory. */
  @Test
  void everySoManythGoodCheckpointIsFlushedHoweverManyFailInBetween() throws Exception {
    try (TestCluster cluster = cluster(3, FetchPolicy.STANDARD)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        for (int step = 1; step <= 2; step++) {
          RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
        }
        for (int bad = 0; bad < 2; bad++) {
          Output output = scr.startCheckpoint("bad");
          assertThatThrownBy(() -> output.complete(scr.rank() != 2)).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).isEqualTo(Fault.NOT_VALID));
        }
        RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
        return 0;
      }), NODES);
      assertThat(flushed(cluster)).containsExactly("step-3");
      assertThat(cluster.held("n1")).as("no id is given twice").containsExactly(1, 2, 5);
      assertThat(cluster.record("n1", 5).descriptor().checkpointId()).isEqualTo(3);
      cluster.awaitOver(NODES);
      assertThat(dies(cluster, 4, 6, NODES)).isEqualTo(3);
      assertThat(flushed(cluster)).containsExactly("step-3", "step-6");
    }
  }

  @Test
  void finalizeFlushesTheNewestCheckpointUnlessNoneIsToBeFlushed() throws Exception {
    try (TestCluster cluster = cluster(0, FetchPolicy.STANDARD)) {
      cluster.steps(1, 2, NODES);
      assertThat(flushed(cluster)).isEmpty();
    }
    try (TestCluster cluster = cluster(10, FetchPolicy.STANDARD)) {
      assertThat(cluster.steps(3, 4, NODES)).isEqualTo(2);
      assertThat(flushed(cluster)).containsExactly("step-4");
      assertInPrefix(cluster, 4);
    }
  }

  private static List<String> flushed(TestCluster cluster) {
    return cluster.index().entries()
        .stream().filter(Index.Entry::complete).map(Index.Entry::name).toList();
  }

  private static void assertInPrefix(TestCluster cluster, int step) {
    for (int rank = 0; rank < NODES.length; rank++) {
      assertThat(cluster.prefix().resolve("step-" + step + "/rank-" + rank + "-0"))
          .hasBinaryContent(RankProgram.bytes(rank, step, 0));
    }
  }

  @Test
  void withoutDistributeTheCachesAreEmptiedAndTheRestartIsFromThePrefix() throws Exception {
    try (TestCluster cluster = cluster(2, FetchPolicy.STANDARD)) {
      dies(cluster, 1, 3, NODES);
      assertThat(cluster.held("n1")).containsExactly(1, 2, 3);
      assertThat(flushed(cluster)).containsExactly("step-2");
    }
    try (TestCluster cluster = cluster(2, rules(true, false, false, false, null))) {
      assertThat(dies(cluster, 1, 0, NODES)).isEqualTo(2);
      for (String node : NODES) {
        assertThat(cluster.held(node)).containsExactly(2);
      }
      assertThat(cluster.steps(4, 4, NODES)).isEqualTo(2);
      assertThat(flushed(cluster)).containsExactly("step-2", "step-4");
    }
  }

  /** In the caches it counts as flushed until somebody looks. */
  @Test
  void aGlobalRestartFlushesAgainWhatIsGoneFromThePrefixDirectory() throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(2).flushing(1, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
      dies(cluster, 1, 2, NODES);
      Trees.delete(cluster.prefix());
      Files.createDirectory(cluster.prefix());
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, setup.with("SCR_GLOBAL_RESTART", "1"), NODES)) {
      assertThat(dies(cluster, 1, 0, NODES)).isEqualTo(2);
    }
  }

  /** A mistake in the number of ranks takes nothing, and the refusal says so. */
  @ParameterizedTest
  @CsvSource({"SCR_DISTRIBUTE, 0", "SCR_CACHE_PURGE, 1"})
  void theCachesAreNotEmptiedForARunThatIsRefused(String parameter, String value) throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(3).flushing(2, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
      dies(cluster, 1, 3, NODES);
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, setup.with(parameter, value), NODES)) {
      assertThat(EmbeddedRun.failure(cluster.run("n1").start(0, Scr::node)))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.RANKS_DISAGREE))
          .hasMessageContaining("Nothing has been changed");
      for (String node : NODES) {
        assertThat(cluster.held(node)).containsExactly(1, 2, 3);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"SCR_DISTRIBUTE, 0", "SCR_CACHE_PURGE, 1"})
  void whatMustStillBeFlushedStaysThoughTheCachesAreEmptied(String parameter, String value) throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).flushing(0, true);
    Path obstacle = directory.resolve("prefix/result");
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
      CyclicBarrier all = new CyclicBarrier(NODES.length);
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        Output output = scr.startOutput("result", DatasetFlags.OUTPUT);
        Files.write(output.route(obstacle + "/rank-" + scr.rank()), RankProgram.bytes(scr.rank(), 1, 0));
        if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
          Files.writeString(obstacle, "a file where the flush needs a directory");
        }
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        output.complete(true);
        return 0;
      }), NODES);
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, setup.with(parameter, value), NODES)) {
      assertThat(dies(cluster, 1, 0, NODES)).isZero();
      assertThat(cluster.held("n1")).containsExactly(1);
      Files.delete(obstacle);
      Eventually.holds("the flush", () -> flushed(cluster).contains("result"));
      assertThat(obstacle.resolve("rank-3")).hasBinaryContent(RankProgram.bytes(3, 1, 0));
    }
  }

  @Test
  void withoutFetchNothingComesFromThePrefixButTheCachesDo() throws Exception {
    try (TestCluster cluster = cluster(1, rules(false, true, false, false, null))) {
      cluster.steps(1, 2, NODES);
      assertThat(cluster.restart(NODES)).isEqualTo(2);
      for (String node : NODES) {
        cluster.lose(node);
        cluster.nodes().start(node);
      }
      assertThat(cluster.restart(NODES)).isZero();
      assertThat(flushed(cluster)).containsExactly("step-1", "step-2");
    }
  }

  @Test
  void aNamedCheckpointIsBegunWithOnceInALaunchAndRankZeroIsTold() throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(9).flushing(0, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
      dies(cluster, 1, 3, NODES);
    }
    TestCluster.Setup named = setup.with("SCR_CURRENT", "step-2");
    try (TestCluster cluster = new TestCluster(vertx, directory, named.with("SCR_LAUNCH", "4f"), NODES)) {
      assertThat(dies(cluster, 4, 5, NODES)).isEqualTo(2);
      assertThat(dies(cluster, 1, 0, NODES)).as("what was written after that").isEqualTo(5);
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        scr.current("step-4");
        return 0;
      }), NODES);
      cluster.awaitOver(NODES);
      assertThat(dies(cluster, 1, 0, NODES)).as("the application has named another one").isEqualTo(4);
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, named, NODES)) {
      for (int start = 0; start < 2; start++) {
        List<String> remarks = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
          assertThat(RankProgram.restart(scr, 3)).as("every start without scr run is a launch").isEqualTo(2);
          RankProgram.checkpoint(scr, cluster.prefix(), 6, 3);
          return scr.remarks();
        }), NODES).getFirst();
        assertThat(remarks).anyMatch(remark -> remark.startsWith("SCR_CURRENT=step-2: restarts begin with dataset 2"))
            .anyMatch(remark -> remark.contains("left alone: step-"));
        cluster.awaitOver(NODES);
      }
    }
    try (TestCluster cluster = cluster(0, rules(true, true, false, false, "step-9"))) {
      cluster.run(NODES).start(Scr::node).forEach(rank -> {
        try {
          assertThat(EmbeddedRun.failure(rank)).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.NO_SUCH_DATASET))
              .hasMessageContainingAll("\"step-9\"", "step-2", "step-6");
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      });
    }
  }

  @Test
  void flushOnRestartRebuildsAndFlushesAllThatTheCachesHold() throws Exception {
    try (TestCluster cluster = cluster(0, FetchPolicy.STANDARD)) {
      dies(cluster, 1, 2, NODES);
      cluster.lose("n3");
    }
    try (TestCluster cluster = cluster(0, rules(true, true, true, false, null))) {
      assertThat(flushed(cluster)).isEmpty();
      assertThat(dies(cluster, 1, 0, NODES)).isEqualTo(2);
      assertThat(flushed(cluster)).containsExactly("step-1", "step-2");
      assertInPrefix(cluster, 1);
      assertInPrefix(cluster, 2);
    }
  }

  @Test
  void flushOnRestartWithoutFetchIsTheWayOutForAnotherNumberOfRanks() throws Exception {
    try (TestCluster cluster = cluster(0, FetchPolicy.STANDARD)) {
      dies(cluster, 1, 2, NODES);
      assertThat(EmbeddedRun.failure(cluster.run("n1").start(0, Scr::node)))
          .hasMessageContainingAll("4 ranks", "SCR_FLUSH_ON_RESTART=1 and SCR_FETCH=0", "SCR_GLOBAL_RESTART=1");
    }
    try (TestCluster cluster = cluster(0, rules(false, true, true, false, null))) {
      assertThat(cluster.all(scr -> {
        boolean offered = scr.restart().isPresent();
        scr.current("step-2");
        RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
        scr.finish();
        return offered;
      }, "n1", "n2")).containsOnly(false);
      assertInPrefix(cluster, 2);
    }
    try (TestCluster cluster = cluster(0, FetchPolicy.STANDARD)) {
      assertThat(cluster.restart("n1", "n2")).isEqualTo(3);
    }
  }

  @Test
  void inAGlobalRestartEveryRankOfAnyNumberReadsEveryFileInThePrefix() throws Exception {
    try (TestCluster cluster = cluster(0, FetchPolicy.STANDARD)) {
      dies(cluster, 1, 2, NODES);
      cluster.lose("n4");
    }
    for (String[] ranks : List.of(new String[] {"n1", "n2"}, NODES)) {
      try (TestCluster cluster = cluster(0, rules(true, true, false, true, null))) {
        assertThat(cluster.all(scr -> readsAll(scr, cluster.prefix()), ranks)).containsOnly("step-2");
      }
    }
    try (TestCluster cluster = cluster(0, rules(true, true, false, true, null))) {
      cluster.all(scr -> {
        readsAll(scr, cluster.prefix());
        try (Output output = scr.startCheckpoint("step-3")) {
          Files.write(output.route(cluster.prefix() + "/step-3/" + scr.rank()), new byte[100]);
          output.complete(true);
        }
        scr.finish();
        return 0;
      }, "n1", "n1", "n2");
      assertThat(flushed(cluster)).contains("step-1", "step-2");
    }
  }

  /** Only the dataset's files are checked in the prefix directory, and only they belong to a restart. */
  @Test
  void inAGlobalRestartABaseNameMeansAFileOfTheDataset() throws Exception {
    try (TestCluster cluster = cluster(0, rules(true, true, false, true, null))) {
      dies(cluster, 1, 1, "n1");
      Path stale = Files.writeString(cluster.prefix().resolve("rank-0-1"), "of another program");
      Path plain = Files.writeString(cluster.prefix().resolve("input"), "never checkpointed");
      Path mine = cluster.prefix().resolve("step-1/rank-0-1");
      try (RawRank rank = new RawRank(vertx, "n1", 0)) {
        RawRank.ok(rank.init(1, cluster.prefix()));
        RawRank.ok(rank.call(Verb.HAVE_RESTART));
        RawRank.ok(rank.call(Verb.START_RESTART));
        Map.of("rank-0-1", mine, "input", plain, "./rank-0-1", stale, "step-1/rank-0-1", mine).forEach((name, path) ->
            assertThat(route(rank, name, cluster.prefix())).as(name).isEqualTo(path.toString()));
        assertThat(route(rank, "step-0/rank-0-1", cluster.prefix())).isEqualTo(mine.toString());
        assertThat(mine).hasBinaryContent(RankProgram.bytes(0, 1, 1));
      }
    }
  }

  private static String route(RawRank rank, String name, Path workingDirectory) {
    try {
      return RawRank.ok(rank.route(name, workingDirectory)).getString("file");
    } catch (TimeoutException e) {
      throw new AssertionError(name, e);
    }
  }

  private static String readsAll(Scr scr, Path prefix) throws Exception {
    try (Restart restart = scr.restart().orElseThrow()) {
      for (int rank = 0; rank < NODES.length; rank++) {
        Path file = restart.route(prefix + "/" + restart.name() + "/rank-" + rank + "-1");
        assertThat(file).startsWith(prefix).hasBinaryContent(RankProgram.bytes(rank, 2, 1));
      }
      restart.complete(true);
      return restart.name();
    }
  }
}
