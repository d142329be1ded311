package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: caches keep the configured checkpoints in the configured stores, never evict needed ones. */
class CacheManagementTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final int FILES = 3;

  private StoreDescriptor store(String name, int count) {
    return StoreDescriptor.of(directory.resolve(name).toString(), count);
  }

  private static CheckpointDescriptor descriptor(int index, int interval, StoreDescriptor store, Scheme scheme) {
    return new CheckpointDescriptor(index, true, interval, GroupDescriptors.NODE, store.base(),
        Redundancy.of(scheme, 8), false);
  }

  private static RunPolicy policy(List<StoreDescriptor> stores, int flushEvery, CheckpointDescriptor... all) {
    return RunPolicy.of(new Descriptors(List.of(all), OptionalInt.empty(), stores, GroupDescriptors.BUILT_IN),
        FlushPolicy.every(flushEvery, true));
  }

  private static RunPolicy with(RunPolicy policy, boolean purge, boolean crcOnDelete) {
    CachePolicy cache = new CachePolicy(purge, crcOnDelete, false, purge, 0, false, CachePolicy.STANDARD.smallBytes());
    return new RunPolicy(policy.descriptors(), cache, policy.flush(), policy.fetch(), policy.interval(),
        policy.halt(), policy.log());
  }

  private RunPolicy plain() {
    StoreDescriptor cache = store("cache", 1);
    return policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.XOR));
  }

  /** scr#488: with one checkpoint in the cache, SCR may keep the one that the loss of a node destroys. */
  @Test
  void aSingleCheckpointNeverEvictsTheOnlyXorOne() throws Exception {
    StoreDescriptor cache = store("cache", 1);
    try (TestCluster cluster = new TestCluster(vertx, directory, policy(List.of(cache), 0,
        descriptor(0, 1, cache, Scheme.SINGLE), descriptor(1, 2, cache, Scheme.XOR)), NODES)) {
      cluster.steps(1, 3, NODES);
      Eventually.holds("eviction", () -> cluster.held("n1").equals(List.of(2, 3)));
      cluster.lose("n2");
      cluster.nodes().start("n4");
      assertThat(cluster.restart("n1", "n4", "n3")).isEqualTo(2);
    }
  }

  @Test
  void eachStoreHoldsItsOwnCheckpointsAndTheyAreFoundInAnyOfThem() throws Exception {
    StoreDescriptor ram = store("ram", 1);
    StoreDescriptor ssd = store("ssd", 2);
    RunPolicy policy =
        policy(List.of(ram, ssd), 4, descriptor(0, 1, ram, Scheme.XOR), descriptor(1, 2, ssd, Scheme.PARTNER));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      cluster.steps(1, 7, NODES);
      Eventually.holds("eviction", () -> cluster.held("n1").equals(List.of(4, 6, 7)));
      assertThat(cluster.datasetDirectory("n1", 6).startsWith(ssd.base())).isTrue();
      assertThat(cluster.datasetDirectory("n1", 7).startsWith(ram.base())).isTrue();
      assertThat(cluster.prefix().resolve("step-4/rank-0-0")).hasBinaryContent(RankProgram.bytes(0, 4, 0));
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      assertThat(cluster.restart(NODES)).isEqualTo(7);
      cluster.steps(8, 8, NODES);
      cluster.lose("n3");
      cluster.nodes().start("n4");
      assertThat(cluster.restart("n1", "n2", "n4")).isEqualTo(8);
      assertThat(cluster.datasetDirectory("n4", 8).startsWith(ssd.base())).isTrue();
    }
  }

  @Test
  void outputLeavesTheCacheAfterItsFlushAndACheckpointThatIsOutputStays() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, plain(), NODES)) {
      cluster.all(scr -> {
        output(scr, cluster, "both", DatasetFlags.CHECKPOINT_AND_OUTPUT);
        output(scr, cluster, "fields", DatasetFlags.OUTPUT);
        scr.finish();
        return 0;
      }, NODES);
      for (String node : NODES) {
        Eventually.holds("eviction", () -> cluster.held(node).equals(List.of(1)));
      }
      assertThat(cluster.prefix().resolve("fields/rank-2")).hasContent("rank 2 of fields");
      assertThat(cluster.prefix().resolve("both/rank-2")).hasContent("rank 2 of both");
    }
  }

  private static void output(Scr scr, TestCluster cluster, String name, DatasetFlags flags) throws IOException {
    try (Output output = scr.startOutput(name, flags)) {
      Files.writeString(output.route(cluster.prefix() + "/" + name + "/rank-" + scr.rank()),
          "rank " + scr.rank() + " of " + name);
      output.complete(true);
    }
  }

  @Test
  void purgeEmptiesTheCachesAndIdsGoOnAllTheSame() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, plain(), NODES)) {
      killed(cluster, 2);
      assertThat(cluster.held("n1")).containsExactly(2);
    }
    try (TestCluster cluster = new TestCluster(vertx, directory, with(plain(), true, false), NODES)) {
      assertThat(cluster.steps(1, 1, NODES)).isZero();
      Eventually.holds("eviction", () -> cluster.held("n1").equals(List.of(3)));
      assertThat(cluster.record("n1", 3).descriptor().checkpointId()).isEqualTo(3);
    }
  }

  /** A run that writes so many checkpoints and ends without finalize. */
  private static void killed(TestCluster cluster, int steps) throws Exception {
    cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
      for (int step = 1; step <= steps; step++) {
        RankProgram.checkpoint(scr, cluster.prefix(), step, FILES);
      }
      return 0;
    }), NODES);
    Eventually.holds("eviction",
        () -> Arrays.stream(NODES).allMatch(node -> cluster.held(node).equals(List.of(steps))));
  }

  @Test
  void idsNeverRepeatAfterARestartFromAnOlderCheckpointNorWithEmptyCaches() throws Exception {
    StoreDescriptor cache = store("cache", 1);
    RunPolicy policy = policy(List.of(cache), 1, descriptor(0, 1, cache, Scheme.XOR));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      cluster.steps(1, 3, NODES);
      Path flushed = cluster.prefix().resolve("step-3/rank-1-0");
      byte[] bytes = Files.readAllBytes(flushed);
      bytes[7] ^= 1;
      Files.write(flushed, bytes);
      cluster.deleteAllStorage(NODES);
      assertThat(cluster.steps(10, 11, NODES)).isEqualTo(2);
      assertThat(cluster.held("n1")).containsExactly(5);
      assertThat(cluster.record("n1", 5).descriptor().checkpointId()).isEqualTo(5);
    }
  }

  @Test
  void filesAreCheckedBeforeTheyAreDeletedWhereThatIsWanted() throws Exception {
    List<JsonObject> events = new CopyOnWriteArrayList<>();
    var consumer = vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, message -> events.add(message.body()));
    try (TestCluster cluster = new TestCluster(vertx, directory, with(plain(), false, true), NODES)) {
      CyclicBarrier barrier = new CyclicBarrier(NODES.length);
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        if (barrier.await() == 0) {
          Path file = cluster.datasetDirectory("n2", 1).resolve("rank.1/rank-1-0");
          byte[] bytes = Files.readAllBytes(file);
          bytes[11] ^= 4;
          Files.write(file, bytes);
        }
        barrier.await();
        RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
        scr.finish();
        return 0;
      }, NODES);
      Eventually.holds("eviction", () -> cluster.held("n2").equals(List.of(2)));
      Eventually.holds("event", () -> events.stream().anyMatch(event -> event.getString("type").equals("corrupt-found")
          && event.getInteger("dataset") == 1 && event.getString("about").equals("n2")
          && event.getInteger("rank") == 1));
      assertThat(events.stream().filter(event -> event.getString("type").equals("corrupt-found"))).hasSize(1);
    } finally {
      consumer.unregister().await();
    }
  }

  /** Elsewhere the one cached dataset is deleted before the next exists; a crash then leaves none. */
  @Test
  void aCrashWhileWritingLeavesTheOlderCheckpointThoughTheCacheKeepsOne() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, plain(), NODES)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        Output unfinished = scr.startCheckpoint("step-2");
        Files.writeString(unfinished.route(cluster.prefix() + "/step-2/half-" + scr.rank()), "half");
        return 0;
      }), NODES);
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  /** Elsewhere start takes 23 to 176 ms, because it unlinks the old dataset first. */
  @Test
  void theStartOfAPhaseDoesNotWaitForTheDeletionOfAnOldDataset() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, plain(), "n1")) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
        Output next;
        synchronized (cluster.store("n1")) {              // nothing can be evicted now
          next = scr.startCheckpoint("step-3");
        }
        Files.writeString(next.route(cluster.prefix() + "/step-3/f"), "x");
        next.complete(true);
        scr.finish();
        return 0;
      }, "n1");
      Eventually.holds("eviction", () -> cluster.held("n1").equals(List.of(3)));
    }
  }

  /** Returns the bytes of one checkpoint on a rank's node, without redundancy. */
  private static long bytesOf(int rank) {
    long bytes = 0;
    for (int file = 0; file < FILES; file++) {
      bytes += RankProgram.bytes(rank, 1, file).length;
    }
    return bytes;
  }

  /** Returns a store with room for this many and a half checkpoints of the largest rank, shared by the host. */
  private StoreDescriptor narrow(int checkpoints, int count) {
    long each = bytesOf(NODES.length - 1) * 2 / 2;
    return new StoreDescriptor(directory.resolve("cache").toString(), GroupDescriptors.NODE, count,
        OptionalLong.of((each * checkpoints + each / 2) * NODES.length), true);
  }

  @Test
  void whereOnlyOneCheckpointFitsTheOldOneGoesFirst() throws Exception {
    StoreDescriptor cache = narrow(1, 1);
    RunPolicy policy = policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.SINGLE));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      List<List<Integer>> heldWhileWriting = cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        try (Output output = scr.startCheckpoint("step-2")) {
          List<Integer> held = new ArrayList<>(cluster.held(scr.node()));
          Files.write(output.route(cluster.prefix() + "/step-2/rank-" + scr.rank()), new byte[10]);
          output.complete(true);
          scr.finish();
          return held;
        }
      }, NODES);
      assertThat(heldWhileWriting).containsOnly(List.of());
      assertThat(cluster.held("n1")).containsExactly(2);
    }
  }

  @Test
  void theLossOfTheOnlyCheckpointToAFailedOneIsReported() throws Exception {
    StoreDescriptor cache = narrow(1, 1);
    RunPolicy policy = policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.SINGLE));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        scr.startCheckpoint("step-2");
        return 0;
      }), NODES);
      cluster.awaitOver(NODES);
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        assertThat(scr.restart()).isEmpty();
        return 0;
      }), NODES);
      assertThat(cluster.status(NODES[0]).getJsonArray("remarks").getString(0))
          .startsWith("no checkpoint of the datasets up to 1 is left").endsWith("the run starts without a checkpoint");
    }
  }

  @Test
  void whereTheLastOneMustStayThePhaseIsRefusedWithNodeStoreAndBytes() throws Exception {
    StoreDescriptor cache = narrow(1, 2);
    RunPolicy policy = policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.SINGLE));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      CompletableFuture<JsonObject> told = new CompletableFuture<>();
      vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> {
        if (event.body().getString("type").equals("phase-refused")) {
          told.complete(event.body());
        }
      });
      List<ScrException> refusals = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        try (Output _ = scr.startCheckpoint("step-2")) {
          throw new AssertionError("there was room");
        } catch (ScrException e) {
          return e;
        }
      }), NODES);
      JsonObject event = told.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(event.getString("name")).isEqualTo("step-2");
      assertThat(event.getString("fault")).isEqualTo(Fault.NO_SPACE.name());
      assertThat(event.getString("cause")).contains("node n", cache.base());
      assertThat(refusals).allSatisfy(refusal -> {
        assertThat(refusal.fault()).isEqualTo(Fault.NO_SPACE);
        assertThat(refusal.getMessage()).contains("node n3", cache.base(), bytesOf(2) + " bytes", "[1]");
      });
      assertThat(cluster.restart(NODES)).isEqualTo(1);
    }
  }

  @Test
  void whereItIsWantedTheDatasetGoesPastTheFullCache() throws Exception {
    StoreDescriptor cache = narrow(1, 2);
    RunPolicy policy = with(policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.SINGLE)), true, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        RankProgram.checkpoint(scr, cluster.prefix(), 2, FILES);
        return 0;
      }), NODES);
      assertThat(cluster.held("n1")).containsExactly(1);
      assertThat(cluster.prefix().resolve("step-2/rank-2-0")).hasBinaryContent(RankProgram.bytes(2, 2, 0));
      assertThat(cluster.restart(NODES)).isEqualTo(2);
    }
  }

  @Test
  void aStoreThatMustNotBeMadeHasToBeThere() throws Exception {
    StoreDescriptor later =
        new StoreDescriptor(directory.resolve("ssd").toString(), GroupDescriptors.NODE, 1, OptionalLong.empty(), false);
    RunPolicy policy = policy(List.of(later), 0, descriptor(0, 1, later, Scheme.XOR));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      for (CompletableFuture<?> rank : cluster.run(NODES).start(scr -> "began")) {
        assertThat(EmbeddedRun.failure(rank)).hasMessageContainingAll("node n1", later.base(), "MKDIR=0");
      }
      Files.createDirectory(directory.resolve("ssd"));
      cluster.steps(1, 1, NODES);
      assertThat(cluster.datasetDirectory("n1", 1).startsWith(later.base())).isTrue();
    }
  }

  @Test
  void whereThereIsRoomForTwoTheOldOneStaysUntilTheNewOneIsComplete() throws Exception {
    StoreDescriptor cache = narrow(2, 1);
    RunPolicy policy = policy(List.of(cache), 0, descriptor(0, 1, cache, Scheme.SINGLE));
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      List<List<Integer>> heldWhileWriting = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, FILES);
        try (Output output = scr.startCheckpoint("step-2")) {
          List<Integer> held = new ArrayList<>(cluster.held(scr.node()));
          Files.write(output.route(cluster.prefix() + "/step-2/rank-" + scr.rank()), new byte[10]);
          output.complete(true);
          return held;
        }
      }), NODES);
      assertThat(heldWhileWriting).containsOnly(List.of(1));
    }
  }
}
