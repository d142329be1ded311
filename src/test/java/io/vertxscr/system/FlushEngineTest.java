package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Scr;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.PrefixIndex;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.Withdrawal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: flushes keep to their limits on all nodes together, stand back for phases, and tell how far they are. */
class FlushEngineTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};
  private static final String[] TWO = {"n1", "n2"};
  private static final int FILES = 3;

  private final AtomicInteger copying = new AtomicInteger();
  private final AtomicInteger mostCopying = new AtomicInteger();

  private TestCluster cluster(TestCluster.Setup setup, CountDownLatch hold, String... nodes) throws Exception {
    TestCluster cluster = new TestCluster(vertx, directory, setup);
    cluster.nodes().disturbFlushes(copy -> () -> {
      mostCopying.accumulateAndGet(copying.incrementAndGet(), Math::max);
      try {
        assertThat(hold.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        return copy.call();
      } finally {
        copying.decrementAndGet();
      }
    });
    List.of(nodes).forEach(cluster.nodes()::start);
    return cluster;
  }

  private static TestCluster.Setup setup() {
    return TestCluster.Setup.of(Scheme.SINGLE).flushing(1, true);
  }

  private static Index index(TestCluster cluster) {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()), "test", Duration.ofSeconds(5)).read().index();
  }

  private static List<Integer> listed(TestCluster cluster) {
    return index(cluster).entries().stream().map(Index.Entry::id).toList();
  }

  private static JsonObject flush(TestCluster cluster) {
    try {
      var flushes = cluster.status("n2").getJsonArray("flushes");
      return flushes.isEmpty() ? new JsonObject() : flushes.getJsonObject(0);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void noMoreFilesAreWrittenAtOnceThanTheWidthSaysOnAllNodesTogether() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    try (TestCluster cluster = cluster(setup().with("SCR_FLUSH_WIDTH", "3"), hold, NODES)) {
      List<Integer> ranks = cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        if (scr.rank() == 0) {
          cluster.await("three writers", () -> copying.get() == 3);
          assertThat(flush(cluster).getString("name")).isEqualTo("step-1");
          assertThat(scr.flushed("step-1")).isFalse();
          hold.countDown();
        }
        assertThat(scr.awaitFlush("step-1")).isTrue();
        assertThat(scr.flushed("step-1")).isTrue();
        scr.finish();
        return scr.rank();
      }, NODES);
      assertThat(ranks).containsExactly(0, 1, 2, 3);
      assertThat(mostCopying).hasValue(3);
      assertThat(listed(cluster)).containsExactly(1);
    }
  }

  @Test
  void aFlushIsNotFasterThanTheBandwidthOfAllNodesTogether() throws Exception {
    int fileBytes = 2 << 20;
    long bytesPerSecond = 16 << 20;
    try (TestCluster cluster =
        cluster(setup().with("SCR_FLUSH_ASYNC_BW", "" + bytesPerSecond), new CountDownLatch(0), NODES)) {
      List<Long> times = cluster.all(scr -> {
        try (var output = scr.startCheckpoint("big")) {
          for (int file = 0; file < FILES; file++) {
            Files.write(output.route(cluster.prefix() + "/big/" + scr.rank() + "-" + file), new byte[fileBytes]);
          }
          output.complete(true);
        }
        long begun = System.nanoTime();
        assertThat(scr.awaitFlush("big")).isTrue();
        scr.finish();
        return System.nanoTime() - begun;
      }, NODES);
      // of each node the last piece of half a MiB may be ahead of its time, and 20 ms are caught up on
      double least = (NODES.length * (FILES * fileBytes - (1 << 19)) / (double) bytesPerSecond - 0.05) * 1e9;
      assertThat(times).as("bytes were written faster than allowed").allSatisfy(ns -> assertThat(ns.doubleValue())
          .isGreaterThan(0.9 * least));
    }
  }

  @Test
  void aFlushStandsBackWhileAPhaseRuns() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    try (TestCluster cluster = cluster(setup().cached(3), hold, TWO)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        cluster.await("writers", () -> copying.get() > 0);
        try (var output = scr.startCheckpoint("second")) {
          Files.writeString(output.route(cluster.prefix() + "/second/" + scr.rank()), "x");
          hold.countDown();                               // a piece may be written, but no byte passes the gate
          for (int look = 0; look < 10; look++) {
            assertThat(scr.flushed("step-1")).isFalse();
            assertThat(flush(cluster).getJsonObject("amount").getLong("doneBytes")).isZero();
          }
          assertThat(copying.get()).as("copies that wait").isPositive();
          output.complete(true);
        }
        assertThat(scr.awaitFlush("step-1")).isTrue();
        assertThat(scr.awaitFlush("second")).isTrue();
        scr.finish();
        return 0;
      }, TWO);
    }
  }

  @Test
  void aDatasetThatIsDroppedIsNotWaitedForHoweverSlowItsFlush() throws Exception {
    try (TestCluster cluster =
        cluster(setup().with("SCR_FLUSH_ASYNC_BW", "1"), new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        cluster.await("writers", () -> copying.get() > 0);
        scr.drop("step-1");
        scr.finish();
        return 0;
      }, TWO);
      assertThat(listed(cluster)).isEmpty();
      try (var files = Files.walk(cluster.prefix())) {
        assertThat(files.map(Path::toString)).noneMatch(path -> path.contains("scr-draft"));
      }
    }
  }

  @Test
  void whatStaysInTheCachesOrIsUnknownIsNotWaitedFor() throws Exception {
    try (TestCluster cluster = cluster(setup().flushing(2, true), new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        assertThat(scr.awaitFlush("step-1")).isFalse();
        assertThat(scr.flushed("step-1")).isFalse();
        assertThatThrownBy(() -> scr.awaitFlush("nothing")).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_DATASET));
        RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
        assertThat(scr.awaitFlush("step-2")).isTrue();
        scr.finish();
        return 0;
      }, TWO);
    }
  }

  @Test
  void theLossOfTheLeaderInTheMiddleOfALimitedFlushLosesNothing() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    try (TestCluster cluster = cluster(TestCluster.Setup.of(Scheme.XOR).flushing(1, true)
        .with("SCR_FLUSH_WIDTH", "2").with("SCR_FLUSH_ASYNC_BW", "100MB"), hold, NODES)) {
      EmbeddedRun.all(cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        return 0;
      }));
      cluster.await("writers", () -> copying.get() == 2);
      hold.countDown();
      cluster.nodes().kill("n1");
      cluster.await("the flush", () -> listed(cluster).equals(List.of(1)));
      for (int rank = 0; rank < NODES.length; rank++) {
        assertThat(cluster.prefix().resolve("step-1/rank-" + rank + "-0"))
            .hasBinaryContent(RankProgram.bytes(rank, 1, 0));
      }
    }
  }

  @Test
  void theWindowKeepsTheNewestCheckpointsAndAllOutput() throws Exception {
    try (TestCluster cluster =
        cluster(setup().with("SCR_PREFIX_SIZE", "2").with("SCR_FLUSH_ASYNC", "0"), new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        output(scr, cluster, "out");
        for (int step = 3; step <= 5; step++) {
          RankProgram.checkpoint(scr, cluster.prefix(), step, FILES);
        }
        scr.finish();
        return 0;
      }, TWO);
      cluster.await("the window", () -> listed(cluster).equals(List.of(2, 4, 5)));
      cluster.await("deletion", () -> !Files.exists(cluster.prefix().resolve("step-3/rank-0-0")));
      assertThat(cluster.prefix().resolve("step-1/rank-0-0")).doesNotExist();
      assertThat(cluster.prefix().resolve("step-4/rank-1-2")).hasBinaryContent(RankProgram.bytes(1, 4, 2));
      assertThat(cluster.prefix().resolve("out/0")).hasContent("output");
      assertThat(cluster.record("n1", 5).flush()).isEqualTo(FlushState.DONE);
    }
  }

  private static void output(Scr scr, TestCluster cluster, String name) throws Exception {
    try (var output = scr.startOutput(name, io.vertxscr.model.DatasetFlags.OUTPUT)) {
      Files.writeString(output.route(cluster.prefix() + "/" + name + "/" + scr.rank()), "output");
      output.complete(true);
    }
  }

  @Test
  void aRunThatWantsTheDirectoryEmptyFindsNothingThere() throws Exception {
    try (TestCluster cluster = cluster(setup(), new CountDownLatch(0), TWO)) {
      cluster.steps(1, 2, TWO);
      assertThat(listed(cluster)).containsExactly(1, 2);
    }
    try (TestCluster cluster = cluster(setup().with("SCR_PREFIX_PURGE", "1").with("SCR_DISTRIBUTE", "0"),
        new CountDownLatch(0), TWO)) {
      assertThat(cluster.steps(3, 3, TWO)).as("restarted from").isZero();
      assertThat(listed(cluster)).containsExactly(3);
      assertThat(cluster.prefix().resolve("step-2/rank-0-0")).doesNotExist();
    }
  }

  /** What the caches have is all there is then: it makes room for no other, and is in the directory at the end. */
  @ParameterizedTest
  @ValueSource(strings = {"SCR_PREFIX_PURGE", "by hand"})
  void aCheckpointWhoseCopyThereIsGoneIsFlushedAgainAtTheEndOfTheNextRun(String how) throws Exception {
    try (TestCluster cluster = cluster(setup().with("SCR_FLUSH", "2"), new CountDownLatch(0), TWO)) {
      cluster.steps(1, 2, TWO);
      assertThat(listed(cluster)).containsExactly(2);
      cluster.await("the note of it", () -> cluster.record("n1", 2).flush() == FlushState.DONE
          && cluster.record("n2", 2).flush() == FlushState.DONE);
    }
    boolean purge = how.startsWith("SCR");
    if (!purge) {
      PrefixPaths paths = new PrefixPaths(directory.resolve("prefix"));
      new Withdrawal(paths, new PrefixIndex(paths, "test", Duration.ofSeconds(5))).delete("step-2");
    }
    try (TestCluster cluster = cluster(
        purge ? setup().with("SCR_FLUSH", "2").with(how, "1") : setup().with("SCR_FLUSH", "2"),
        new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        int step = RankProgram.restart(scr, FILES);
        assertThat(cluster.record(scr.node(), 2).flush()).isEqualTo(FlushState.NOT_WANTED);
        assertThat(listed(cluster)).isEmpty();
        scr.finish();
        return step;
      }, TWO).forEach(step -> assertThat(step).isEqualTo(2));
      assertThat(listed(cluster)).containsExactly(2);
      assertThat(cluster.prefix().resolve("step-2/rank-1-0")).hasBinaryContent(RankProgram.bytes(1, 2, 0));
    }
  }
}
