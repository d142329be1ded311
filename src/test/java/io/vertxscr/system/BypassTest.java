package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Handler;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: a dataset in bypass mode is as whole, durable and checked as a flushed and fetched one. */
class BypassTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n1", "n2"};
  private static final int FILES = 3;
  private static final int ROUND_TRIPS = 100;

  /** Every n-th checkpoint past the cache, and the restart too where that is wanted. */
  private RunPolicy policy(int every, boolean fetchBypass) {
    return policy(every, fetchBypass, FlushPolicy.every(0, true));
  }

  private RunPolicy policy(int every, boolean fetchBypass, FlushPolicy flushes) {
    StoreDescriptor store = StoreDescriptor.of(directory.resolve("cache").toString(), 1);
    List<CheckpointDescriptor> all = IntStream.range(0, every).mapToObj(index -> new CheckpointDescriptor(index, true,
        index + 1, GroupDescriptors.NODE, store.base(), Redundancy.of(Scheme.XOR, 8), index + 1 == every)).toList();
    RunPolicy policy = RunPolicy.of(new Descriptors(all, OptionalInt.empty(), List.of(store),
        GroupDescriptors.BUILT_IN), flushes);
    return fetching(policy, fetchBypass);
  }

  private static RunPolicy fetching(RunPolicy policy, boolean bypass) {
    return new RunPolicy(policy.descriptors(), policy.cache(), policy.flush(),
        new FetchPolicy(true, bypass, true, false, false, Optional.empty()), policy.interval(), policy.halt(),
        policy.log());
  }

  private TestCluster cluster(int every, boolean fetchBypass) throws IOException {
    return new TestCluster(vertx, directory, policy(every, fetchBypass), "n1", "n2");
  }

  @Test
  void filesGoToTheirPlacesAtOnceAndAreListedWithSizesAndChecksums() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        try (Output output = scr.startCheckpoint("step-1")) {
          Path path = output.route(cluster.prefix() + "/deep/er/rank-" + scr.rank());
          assertThat(path).isEqualTo(cluster.prefix().resolve("deep/er/rank-" + scr.rank()));
          Files.write(path, RankProgram.bytes(scr.rank(), 1, 0));
          output.complete(true);
        }
        assertThat(cluster.restartable()).containsExactly(1);
        return 0;
      }), NODES);
      assertThat(cluster.held("n1")).isEmpty();
      assertThat(cluster.store("n1").files(1, 0)).isEmpty();
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      List<RankFileMap.RankEntry> entries = new RankMapReader(paths, 1).entries(List.of(0, 1, 2));
      for (RankFileMap.RankEntry entry : entries) {
        var file = entry.files().getFirst();
        assertThat(file.path()).isEqualTo("deep/er/rank-" + entry.rank());
        assertThat(file.bytes()).hasValue(RankProgram.bytes(entry.rank(), 1, 0).length);
        assertThat(file.crc()).hasValue(FileChecks.crc(paths.file(file.path())));
      }
    }
  }

  /** A crash right after that must not leave an older dataset on offer whose files are half overwritten. */
  @Test
  void aDatasetWhoseFilesAreWrittenOverIsListedAsReplacedBeforeTheFirstByteIs() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      cluster.steps(1, 1, NODES);
      CyclicBarrier routed = new CyclicBarrier(NODES.length);
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpointIn(cluster.prefix().resolve("ckpt"), scr, 2, FILES);
        assertThat(cluster.restartable()).containsExactly(2, 1);
        routed.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        try (Output output = scr.startCheckpoint("step-3")) {
          output.route(cluster.prefix() + "/ckpt/rank-" + scr.rank() + "-0");
          assertThat(cluster.index().find(2).orElseThrow().replacedBy()).hasValue(3);
          assertThat(cluster.restartable()).containsExactly(1);
          return 0;
        }
      }), NODES);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
      assertThat(cluster.index().entries()).allMatch(entry -> entry.failed().isEmpty());
    }
  }

  /** Method: renames of the older files are delayed until the ranks could have written. */
  @Test
  void aFlushPutsNoOlderFileWhereRanksAreWritingTheirs() throws Exception {
    List<DeliveryContext<Object>> held = new CopyOnWriteArrayList<>();
    CountDownLatch publishing = new CountDownLatch(2);
    CountDownLatch starting = new CountDownLatch(2 * 2);
    CountDownLatch written = new CountDownLatch(2);
    Handler<DeliveryContext<Object>> holder = sent -> {
      if (sent.message().address().endsWith(".node.flush-publish")) {
        held.add(sent);
        publishing.countDown();
        return;
      }
      if (sent.message().address().endsWith(".node.gather") && String.valueOf(sent.body()).contains("START_OUTPUT")) {
        starting.countDown();
      }
      sent.next();
    };
    vertx.eventBus().addOutboundInterceptor(holder);
    try (TestCluster cluster =
        new TestCluster(vertx, directory, policy(2, false, FlushPolicy.every(1, true)), "n1", "n2")) {
      CompletableFuture<Void> released = CompletableFuture.runAsync(() -> {
        try {
          assertThat(starting.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
          for (int i = 0; i < ROUND_TRIPS && written.getCount() > 0; i++) {
            cluster.status("n1");                         // asks the leader, behind the start
          }
          vertx.runOnContext(_ -> held.forEach(DeliveryContext::next));
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      });
      cluster.all(scr -> {
        RankProgram.checkpointIn(cluster.prefix().resolve("ckpt"), scr, 1, 1);
        assertThat(publishing.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        try (Output output = scr.startCheckpoint("step-2")) {
          Files.write(output.route(cluster.prefix() + "/ckpt/rank-" + scr.rank() + "-0"),
              RankProgram.bytes(scr.rank(), 2, 0));
          written.countDown();
          released.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
          Eventually.holds("the flush of the first", () -> cluster.record("n1", 1).flush() == FlushState.DONE
              && cluster.record("n2", 1).flush() == FlushState.DONE);
          output.complete(true);
        }
        scr.finish();
        return 0;
      }, "n1", "n2");
      for (int rank = 0; rank < 2; rank++) {
        assertThat(cluster.prefix().resolve("ckpt/rank-" + rank + "-0"))
            .hasBinaryContent(RankProgram.bytes(rank, 2, 0));
      }
      assertThat(cluster.index().find(1).orElseThrow().replacedBy()).hasValue(2);
      assertThat(cluster.index().find(2).orElseThrow().complete()).isTrue();
    } finally {
      vertx.eventBus().removeOutboundInterceptor(holder);
    }
  }

  @Test
  void aRankThatWaitsForAFlushInAPhasePastTheCacheIsRefused() throws Exception {
    CountDownLatch hold = new CountDownLatch(1);
    try (TestCluster cluster = new TestCluster(vertx, directory, policy(2, false, FlushPolicy.every(1, true)))) {
      cluster.nodes().disturbFlushes(copy -> () -> {
        assertThat(hold.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        return copy.call();
      });
      cluster.nodes().start("n1");
      cluster.nodes().start("n2");
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 1);
        try (Output output = scr.startCheckpoint("step-2")) {
          assertThatThrownBy(() -> scr.awaitFlush("step-1")).isInstanceOfSatisfying(ScrException.class,
              e -> assertThat(e.fault()).isEqualTo(Fault.WRONG_STATE));
          output.complete(true);
        }
        hold.countDown();
        assertThat(scr.awaitFlush("step-1")).isTrue();
        scr.finish();
        return 0;
      }, "n1", "n2");
    }
  }

  @Test
  void aRestartReadsWhatWentPastTheCacheFromTheCacheOrWhereItIs() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      cluster.steps(1, 2, NODES);
      assertThat(cluster.restart(NODES)).isEqualTo(2);
      assertThat(cluster.held("n1")).containsExactly(2);
    }
    try (TestCluster cluster = cluster(1, true)) {
      cluster.deleteAllStorage("n1", "n2");
      assertThat(cluster.all(scr -> {
        try (Restart restart = scr.restart().orElseThrow()) {
          Path path = restart.route("rank-" + scr.rank() + "-0");
          assertThat(path).isEqualTo(cluster.prefix().resolve("step-2/rank-" + scr.rank() + "-0"))
              .hasBinaryContent(RankProgram.bytes(scr.rank(), 2, 0));
          restart.complete(true);
        }
        RankProgram.checkpoint(scr, cluster.prefix(), 3, FILES);
        scr.finish();
        return scr.rank();
      }, NODES)).containsExactly(0, 1, 2);
      assertThat(cluster.held("n1")).isEmpty();
      assertThat(cluster.restart(NODES)).isEqualTo(3);
    }
  }

  @Test
  void someCheckpointsGoPastTheCacheAndARestartTakesTheNewestOfBoth() throws Exception {
    try (TestCluster cluster = cluster(2, false)) {
      cluster.steps(1, 3, NODES);
      Eventually.holds("eviction", () -> cluster.held("n1").equals(List.of(3)));
      assertThat(cluster.restartable()).contains(2);
      assertThat(cluster.restart(NODES)).isEqualTo(3);
      cluster.lose("n1");
      cluster.lose("n2");
      cluster.nodes().start("n1");
      cluster.nodes().start("n2");
      assertThat(cluster.steps(4, 4, NODES)).isEqualTo(2);     // nothing is flushed in this run
      assertThat(cluster.restart(NODES)).isEqualTo(4);
    }
  }

  @Test
  void aWrongByteInAFileThatIsReadInPlaceLeadsToTheOlderCheckpoint() throws Exception {
    try (TestCluster cluster = cluster(1, true)) {
      cluster.steps(1, 2, NODES);
      Path file = cluster.prefix().resolve("step-2/rank-1-0");
      byte[] bytes = Files.readAllBytes(file);
      bytes[99] ^= 2;
      Files.write(file, bytes);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
      assertThat(cluster.restartable()).containsExactly(1);
    }
  }

  @Test
  void whatARankCallsInvalidOrNeverWroteIsNotListedAndTheRunGoesOn() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        Output bad = scr.startCheckpoint("step-2");
        Files.writeString(bad.route(cluster.prefix() + "/step-2/f" + scr.rank()), "x");
        assertThatThrownBy(() -> bad.complete(scr.rank() != 2)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.NOT_VALID));
        Output missing = scr.startCheckpoint("step-3");
        missing.route(cluster.prefix() + "/step-3/never-written");
        assertThatThrownBy(() -> missing.complete(true)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.NOT_VALID));
        assertThatThrownBy(() -> {
          try (Output outside = scr.startOutput("step-4", DatasetFlags.OUTPUT)) {
            outside.route("/etc/passwd");
          }
        }).isInstanceOf(ScrException.class);
        return 0;
      }), NODES);
      assertThat(cluster.restartable()).containsExactly(1);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  /** A rank of one node writes to the file when all ranks of the other have called it complete. */
  @Test
  void aFileOfSeveralRanksMayGrowUntilTheLastOfThemHasCompletedItAndCountsOnce() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      Path shared = cluster.prefix().resolve("all/of-us");
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        Output output = scr.startCheckpoint("step-1");
        assertThat(output.route(shared.toString())).isEqualTo(shared);
        Files.write(output.route(cluster.prefix() + "/own-" + scr.rank()), new byte[scr.rank()]);
        if (scr.rank() == 0) {
          Eventually.holds("the part of n2", () -> waitsFor(cluster, "complete-output").equals(List.of("n1")));
        }
        write(shared, scr.rank());
        output.complete(true);
        return 0;
      }), NODES);
      assertThat(shared).hasSize(NODES.length * PART);
      Totals once = new Totals(1 + NODES.length, NODES.length * PART + 1 + 2);
      assertThat(cluster.index().find(1).orElseThrow().descriptor().totals()).isEqualTo(once);
      PrefixPaths paths = new PrefixPaths(cluster.prefix());
      RankMapReader map = new RankMapReader(paths, 1);
      assertThat(map.totals()).isEqualTo(once);
      List<FlushedFile> entries = map.entries(List.of(0, 1, 2)).stream()
          .flatMap(entry -> entry.files().stream().filter(file -> file.path().equals("all/of-us"))).toList();
      assertThat(entries).hasSize(NODES.length).filteredOn(file -> !file.shared()).hasSize(1);
      assertThat(entries).allSatisfy(file -> {
        assertThat(file.bytes()).hasValue(NODES.length * PART);
        assertThat(file.crc()).hasValue(FileChecks.crc(shared));
      });
      Verified verified = DatasetVerification.verify(paths, 1);
      assertThat(verified.problems()).isEmpty();
      assertThat(new Totals(verified.files(), verified.bytes())).isEqualTo(once);
      readShared(cluster, shared);                         // out of the caches
    }
    try (TestCluster cluster = cluster(1, true)) {
      cluster.deleteAllStorage("n1", "n2");
      Path shared = cluster.prefix().resolve("all/of-us");
      readShared(cluster, shared);                         // in place
      flip(shared);
      assertThat(cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> scr.restart().isPresent()), NODES))
          .containsOnly(false);
    }
  }

  private static final int PART = 100_003;

  private static void write(Path shared, int rank) throws IOException {
    try (FileChannel channel = FileChannel.open(shared, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(part(rank)), (long) (NODES.length - 1 - rank) * PART);
    }
  }

  private static byte[] part(int rank) {
    return Arrays.copyOf(("rank " + rank).getBytes(StandardCharsets.US_ASCII), PART);
  }

  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[7] ^= 1;
    Files.write(file, bytes);
  }

  private static List<?> waitsFor(TestCluster cluster, String step) {
    try {
      JsonObject waits = cluster.status("n1").getJsonObject("waits");
      return waits.getString("for").startsWith(step) ? waits.getJsonArray("missing").getList() : List.of();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void readShared(TestCluster cluster, Path shared) throws Exception {
    assertThat(cluster.all(scr -> {
      try (Restart restart = scr.restart().orElseThrow()) {
        byte[] all = Files.readAllBytes(restart.route(shared.toString()));
        assertThat(restart.route(cluster.prefix() + "/own-" + scr.rank())).hasSize(scr.rank());
        restart.complete(Arrays.equals(part(scr.rank()), Arrays.copyOfRange(all,
            (NODES.length - 1 - scr.rank()) * PART, (NODES.length - scr.rank()) * PART)));
      }
      scr.finish();
      return 1;
    }, NODES)).containsOnly(1);
  }

  @Test
  void aNodeThatDiesWhileItsRanksWriteThereLeavesTheOlderCheckpoint() throws Exception {
    try (TestCluster cluster = cluster(1, false)) {
      var ranks = cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        Output output = scr.startCheckpoint("step-2");
        Files.writeString(output.route(cluster.prefix() + "/step-2/f" + scr.rank()), "x");
        if (scr.rank() == 2) {
          cluster.nodes().kill("n2");
        }
        output.complete(true);
        return 0;
      });
      for (var rank : ranks) {
        assertThat(EmbeddedRun.failure(rank)).isInstanceOf(ScrException.class);
      }
      cluster.nodes().start("n2");
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  /** The others have had parts of that checkpoint since the run before, and wait until all nodes have synced theirs. */
  @Test
  void aNodeWhoseCacheHasNothingOfTheRestartSaysSo() throws Exception {
    StoreDescriptor store = new StoreDescriptor(directory.resolve("cache").toString(), GroupDescriptors.NODE, 2,
        OptionalLong.empty(), true, StoreSync.EVICT);
    RunPolicy policy = RunPolicy.of(new Descriptors(List.of(new CheckpointDescriptor(0, true, 1,
        GroupDescriptors.NODE, store.base(), Redundancy.of(Scheme.SINGLE, 8), false)), OptionalInt.empty(),
        List.of(store), GroupDescriptors.BUILT_IN), FlushPolicy.every(1, false));
    List<String> synced = new CopyOnWriteArrayList<>();
    Handler<DeliveryContext<Object>> observer = sent -> {
      if (sent.message().address().endsWith(".node.synced")) {
        synced.add(String.valueOf(sent.body()));
      }
      sent.next();
    };
    try (TestCluster cluster = new TestCluster(vertx, directory, fetching(policy, true), "n1", "n2")) {
      cluster.steps(1, 1, "n1", "n2");
      cluster.lose("n2");
      cluster.nodes().start("n2");
      vertx.eventBus().addOutboundInterceptor(observer);
      assertThat(cluster.steps(2, 2, "n1", "n2")).isEqualTo(1);
      Eventually.holds("both nodes have told of the first", () -> Stream.of("n1", "n2").allMatch(node -> synced.stream()
          .anyMatch(told -> told.contains("\"id\":1,") && told.contains("\"node\":\"" + node + "\""))));
    } finally {
      vertx.eventBus().removeOutboundInterceptor(observer);
    }
  }
}
