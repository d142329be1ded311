package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Scr;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Withdrawal;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: flushes keep their limits on all nodes together, yield to phases, and report progress. */
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
    return new PrefixIndex(new PrefixPaths(cluster.prefix()),
        PatientLocks.user("test", Duration.ofSeconds(5))).read().index();
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
          Eventually.holds("three writers", () -> copying.get() == 3);
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

  /** That copies keep to their shares, and shares to the limit: CopyThrottleTest, LeasesSimulationTest. */
  @Test
  void theCopiesOfEveryNodeGetSharesOfTheBandwidth() throws Exception {
    long bytesPerSecond = 64 << 20;
    List<JsonObject> shares = new CopyOnWriteArrayList<>();
    Handler<DeliveryContext<Object>> interceptor = sent -> {
      if (sent.body() instanceof Buffer text && sent.message().address().startsWith("__vertx.reply")
          && text.toJsonObject().getValue("share") instanceof JsonObject share) {
        shares.add(share);
      }
      sent.next();
    };
    vertx.eventBus().addOutboundInterceptor(interceptor);
    try (TestCluster cluster =
        cluster(setup().with("SCR_FLUSH_ASYNC_BW", "" + bytesPerSecond), new CountDownLatch(0), NODES)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        assertThat(scr.awaitFlush("step-1")).isTrue();
        scr.finish();
        return 0;
      }, NODES);
    } finally {
      vertx.eventBus().removeOutboundInterceptor(interceptor);
    }
    List<Long> rates = shares.stream().map(share -> share.getLong("bytesPerSecond")).toList();
    assertThat(rates).as("0 is to wait").allSatisfy(rate -> assertThat(rate).isBetween(0L, bytesPerSecond));
    assertThat(rates.stream().filter(rate -> rate > 0)).hasSizeGreaterThanOrEqualTo(NODES.length);
  }

  @Test
  void aFlushStandsBackWhileAPhaseRuns() throws Exception {
    CountDownLatch hold = new CountDownLatch(TWO.length);
    try (TestCluster cluster = cluster(setup().cached(3), hold, TWO)) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        Eventually.holds("writers", () -> copying.get() > 0);
        try (var output = scr.startCheckpoint("second")) {
          Files.writeString(output.route(cluster.prefix() + "/second/" + scr.rank()), "x");
          hold.countDown();                               // both nodes are in the phase then: no byte passes the gate
          for (int look = 0; look < 10; look++) {
            assertThat(scr.flushed("step-1")).isFalse();
            assertThat(flush(cluster).getJsonObject("amount").getLong("doneBytes")).isZero();
          }
          Eventually.holds("no waiting copy has a thread", () -> copying.get() == 0);
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
        Eventually.holds("writers", () -> mostCopying.get() > 0);
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
      Eventually.holds("writers", () -> copying.get() == 2);
      hold.countDown();
      cluster.nodes().kill("n1");
      Eventually.holds("the flush", () -> listed(cluster).equals(List.of(1)));
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
      Eventually.holds("the window", () -> listed(cluster).equals(List.of(2, 4, 5)));
      Eventually.holds("deletion", () -> !Files.exists(cluster.prefix().resolve("step-3/rank-0-0")));
      assertThat(cluster.prefix().resolve("step-1/rank-0-0")).doesNotExist();
      assertThat(cluster.prefix().resolve("step-4/rank-1-2")).hasBinaryContent(RankProgram.bytes(1, 4, 2));
      assertThat(cluster.prefix().resolve("out/0")).hasContent("output");
      assertThat(cluster.record("n1", 5).flush()).isEqualTo(FlushState.DONE);
    }
  }

  private static String validity(TestCluster cluster) {
    return index(cluster).entries().stream().map(entry -> entry.id() + (entry.complete() ? " valid"
        : entry.replacedBy().isPresent() ? " replaced by " + entry.replacedBy().getAsInt() : " not valid"))
        .collect(Collectors.joining(", "));
  }

  /** Method: three checkpoints with the same file names, the caches lost, and a restart. */
  @ParameterizedTest
  @ValueSource(strings = {"SCR_FLUSH_ASYNC=0", "SCR_FLUSH_ASYNC=1", "SCR_USE_CONTAINERS=1", "SCR_CACHE_BYPASS=1"})
  void ofCheckpointsWithTheSameFileNamesOnlyTheNewestIsValid(String how) throws Exception {
    TestCluster.Setup setup = setup().cached(3).with(how.split("=")[0], how.split("=")[1]);
    boolean apart = how.contains("CONTAINERS");
    try (TestCluster cluster = cluster(setup, new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        for (int step = 1; step <= 3; step++) {
          RankProgram.checkpointIn(cluster.prefix().resolve("ckpt"), scr, step, FILES);
          scr.awaitFlush("step-" + step);           // flushes in the background may overtake one another
        }
        scr.finish();
        return 0;
      }, TWO);
      assertThat(validity(cluster)).isEqualTo(
          apart ? "1 valid, 2 valid, 3 valid" : "1 replaced by 2, 2 replaced by 3, 3 valid");
      assertThat(cluster.restartable()).first().isEqualTo(3);
      cluster.deleteAllStorage(TWO);
      assertThat(cluster.restart(TWO)).isEqualTo(3);
      assertThat(index(cluster).entries()).as("passed over, not called damaged").allMatch(e -> e.failed().isEmpty());
    }
  }

  /** The older one must not be written over the newer one, of which restarts already know. */
  @Test
  void aFlushThatIsOvertakenByALaterOneWithTheSameFileNamesWritesOverNothing() throws Exception {
    CountDownLatch overtaken = new CountDownLatch(1);
    AtomicInteger copies = new AtomicInteger();
    try (TestCluster cluster = new TestCluster(vertx, directory, setup().cached(3))) {
      cluster.nodes().disturbFlushes(copy -> () -> {
        if (copies.getAndIncrement() < TWO.length) {        // one file a node, of the first dataset
          assertThat(overtaken.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        }
        return copy.call();
      });
      List.of(TWO).forEach(cluster.nodes()::start);
      cluster.all(scr -> {
        Path directory = cluster.prefix().resolve("ckpt");
        RankProgram.checkpointIn(directory, scr, 1, 1);
        Eventually.holds("copies of the first", () -> copies.get() >= TWO.length);
        RankProgram.checkpointIn(directory, scr, 2, 1);
        assertThat(scr.awaitFlush("step-2")).isTrue();
        overtaken.countDown();
        scr.awaitFlush("step-1");
        scr.finish();
        return 0;
      }, TWO);
      assertThat(validity(cluster)).isEqualTo("1 replaced by 2, 2 valid");
      assertThat(cluster.prefix().resolve("ckpt/rank-1-0")).hasBinaryContent(RankProgram.bytes(1, 2, 0));
      Eventually.holds("the note of it", () -> cluster.record("n1", 1).flush() == FlushState.DONE
          && cluster.record("n2", 1).flush() == FlushState.DONE);
      try (var files = Files.list(cluster.prefix().resolve("ckpt"))) {
        assertThat(files.map(file -> file.getFileName().toString()))
            .containsExactlyInAnyOrder("rank-0-0", "rank-1-0");
      }
    }
  }

  /** Method: a retention window of two; one set of names, two alternating sets, and distinct names. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void theWindowTakesNoFileOfANewerDatasetAndLeavesNoEmptyDirectory(int directories) throws Exception {
    try (TestCluster cluster = cluster(setup().cached(3).with("SCR_PREFIX_SIZE", "2").with("SCR_FLUSH_ASYNC", "0"),
        new CountDownLatch(0), TWO)) {
      cluster.all(scr -> {
        for (int step = 1; step <= 6; step++) {
          RankProgram.checkpointIn(cluster.prefix().resolve("ckpt/" + step % directories), scr, step, FILES);
        }
        scr.finish();
        return 0;
      }, TWO);
      String kept = directories == 1 ? "5 replaced by 6, 6 valid" : "5 valid, 6 valid";
      Eventually.holds("the window", () -> validity(cluster).equals(kept));
      List<String> left = directories == 1 ? List.of("0") : directories == 2 ? List.of("0", "1") : List.of("5", "6");
      Eventually.holds("the directories", () -> List.of(cluster.prefix().resolve("ckpt").toFile().list()).stream()
          .sorted().toList().equals(left));
      cluster.deleteAllStorage(TWO);
      assertThat(cluster.restart(TWO)).isEqualTo(6);
    }
  }

  /** Method: one node's inventory is read before the end of an output's flush, the other one's after it. */
  @Test
  void theEndOfARunThatMeetsTheEndOfAFlushGivesNothingUp() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    CountDownLatch wanted = new CountDownLatch(1);
    AtomicReference<DeliveryContext<Object>> late = new AtomicReference<>();
    List<String> events = new CopyOnWriteArrayList<>();
    var consumer = vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS,
        message -> events.add(message.body().getString("type")));
    Handler<DeliveryContext<Object>> listener = delivery -> {
      boolean isAsked = delivery.message().address().equals(NodeVerb.INVENTORY.address("n1"));
      if (copying.get() == 0 || !isAsked || !late.compareAndSet(null, delivery)) {
        if (late.get() != null && String.valueOf(delivery.body()).contains("WANTED")) {
          wanted.countDown();
        }
        delivery.next();
      }
    };
    try (TestCluster cluster = cluster(setup(), hold, TWO)) {
      CyclicBarrier written = new CyclicBarrier(TWO.length + 1);
      var ranks = cluster.run(TWO).start(scr -> {
        output(scr, cluster, "out");
        written.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        written.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        scr.finish();
        return 0;
      });
      written.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      Eventually.holds("copies", () -> copying.get() == TWO.length);
      vertx.eventBus().addOutboundInterceptor(listener);
      written.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(wanted.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
      hold.countDown();
      Eventually.holds("the end of the flush", () -> events.contains("flush-done")
          && cluster.held("n1").isEmpty() && cluster.held("n2").isEmpty());
      late.get().next();
      EmbeddedRun.all(ranks);
      assertThat(events).doesNotContain("flush-given-up", "flush-failed");
      assertThat(listed(cluster)).containsExactly(1);
    } finally {
      vertx.eventBus().removeOutboundInterceptor(listener);
      consumer.unregister();
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

  /** The cached copy is the only one then: it is not evicted, and flushed at the end. */
  @ParameterizedTest
  @ValueSource(strings = {"SCR_PREFIX_PURGE", "by hand"})
  void aCheckpointWhoseCopyThereIsGoneIsFlushedAgainAtTheEndOfTheNextRun(String how) throws Exception {
    try (TestCluster cluster = cluster(setup().with("SCR_FLUSH", "2"), new CountDownLatch(0), TWO)) {
      cluster.steps(1, 2, TWO);
      assertThat(listed(cluster)).containsExactly(2);
      Eventually.holds("the note of it", () -> cluster.record("n1", 2).flush() == FlushState.DONE
          && cluster.record("n2", 2).flush() == FlushState.DONE);
    }
    boolean purge = how.startsWith("SCR");
    if (!purge) {
      PrefixPaths paths = new PrefixPaths(directory.resolve("prefix"));
      new Withdrawal(paths, new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(5)))).delete("step-2");
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
