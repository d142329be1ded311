package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.prefix.metadata.Mounts;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a phase waits for space that a flush will free. Without any chance it is refused with a helpful message, leaves
 * nothing behind, and does not end the run; an exact count of datasets is never exceeded.
 */
class RoomTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};
  private static final int BYTES = 100_000;

  /** With this, a dataset without room goes to the prefix directory. */
  private RunPolicy passing() {
    return narrow().with(new CachePolicy(false, false, false, true, 0, false, 0));
  }

  private static List<String> remarks(TestCluster cluster) throws Exception {
    return cluster.status("n1").getJsonArray("remarks").stream().map(String::valueOf).toList();
  }

  /** Of one checkpoint and a half on each node, all on this host. */
  private RunPolicy narrow() {
    StoreDescriptor store = new StoreDescriptor(directory.resolve("cache").toString(), GroupDescriptors.NODE, 2,
        OptionalLong.of(BYTES * 3L / 2 * NODES.length), true);
    return RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.SINGLE, 2), store), FlushPolicy.every(1, true));
  }

  @Test
  void aPhaseWaitsForTheFlushThatMakesRoomForItAndSaysSo() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, narrow(), NODES)) {
      Path obstacle = cluster.prefix().resolve("step-1");
      CompletableFuture<JsonObject> heldUp = new CompletableFuture<>();
      vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> {
        if (event.body().getString("type").equals("phase-held-up")) {
          heldUp.complete(event.body());
        }
      });
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      var ranks = cluster.run(NODES).start(scr -> {
        try (Output output = scr.startCheckpoint("step-1")) {
          Files.write(output.route(obstacle + "/rank-" + scr.rank()), new byte[BYTES]);
          if (both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
            Files.writeString(obstacle, "a file where the flush needs a directory");
          }
          both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
          output.complete(true);
        }
        try (Output output = scr.startCheckpoint("step-2")) {
          List<Integer> held = List.copyOf(cluster.held(scr.node()));
          Files.write(output.route(cluster.prefix() + "/step-2/rank-" + scr.rank()), new byte[BYTES]);
          output.complete(true);
          return held;
        }
      });
      assertThat(heldUp.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS).getString("cause"))
          .contains("waits for a flush", "no room in store", "[1]");
      assertThat(cluster.held("n1")).containsExactly(1);
      Files.delete(obstacle);
      assertThat(EmbeddedRun.all(ranks)).as("made room for").containsOnly(List.of());
      assertThat(cluster.prefix().resolve("step-1/rank-1")).hasSize(BYTES);
    }
  }

  /** Writes one too large, checks that nothing is left, continues with a small one; returns the refusal. */
  private static ScrException tooLarge(Scr scr, TestCluster cluster, int bytes, CyclicBarrier both) throws Exception {
    try (Output output = scr.startCheckpoint("large")) {
      Files.write(output.route(cluster.prefix() + "/large/rank-" + scr.rank()), new byte[bytes]);
      output.complete(true);
      throw new AssertionError("there was room");
    } catch (ScrException e) {
      both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      Path left = cluster.datasetDirectory(scr.node(), 1);
      Eventually.holds("nothing is left of it", () -> !Files.exists(left));
      assertThat(cluster.held(scr.node())).isEmpty();
      RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
      scr.finish();
      return e;
    }
  }

  @Test
  void aFirstCheckpointWithoutRoomForRedundancyIsRefusedWithStoreAndBytes() throws Exception {
    Path storage = Files.createDirectories(directory.resolve("cache"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", storage.toString()),
        "small file systems cannot be mounted here: not shown");
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.PARTNER).flushing(0, true), NODES)) {
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      int bytes = 400_000;
      assertThat(cluster.all(scr -> tooLarge(scr, cluster, bytes, both), NODES)).allSatisfy(refusal -> {
        assertThat(refusal.fault()).isEqualTo(Fault.NO_SPACE);
        assertThat(refusal.getMessage()).contains("node n", "no room in store " + storage,
            bytes + " bytes in files on this node, its redundancy takes " + bytes, "and free are ",
            " bytes are missing");
      });
      assertThat(cluster.restart(NODES)).isEqualTo(2);
    } finally {
      Mounts.unmount(storage);
    }
  }

  private static TestCluster.Setup exactly(int count, int flushEvery) {
    return TestCluster.Setup.of(Scheme.XOR).cached(count).flushing(flushEvery, true).with("SCR_CACHE_EVICT", "EARLY");
  }

  /** Returns the bytes of a node's cache, with redundancy and trash. */
  private static long bytesInCache(TestCluster cluster, String node) throws IOException {
    long bytes = 0;
    Path cache = cluster.nodes().node(node).ground().options().directories().cache();
    try (Stream<Path> files = Files.walk(cache)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  /** Elsewhere the old one is always deleted first; here only if configured, with its redundancy. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "1, 1", "2, 1"})
  void whereAnExactCountIsAskedForNoStoreEverHoldsMore(int count, int flushEvery) throws Exception {
    Offset<Long> headers = Offset.offset(BYTES / 100L);   // those of redundancy files have a few bytes more or less
    try (TestCluster cluster = new TestCluster(vertx, directory, exactly(count, flushEvery), NODES)) {
      cluster.all(scr -> {
        long one = 0;
        for (int step = 1; step <= 5; step++) {
          int held = Math.min(step, count);
          try (Output output = scr.startCheckpoint("step-" + step)) {
            assertThat(cluster.held(scr.node())).as("beside step %d", step).hasSize(held - 1);
            assertThat(bytesInCache(cluster, scr.node())).as("beside step %d", step)
                .isCloseTo(one * (held - 1), headers);
            Files.write(output.route(cluster.prefix() + "/step-" + step + "/rank-" + scr.rank()), new byte[BYTES]);
            output.complete(true);
          }
          one = step == 1 ? bytesInCache(cluster, scr.node()) : one;
          assertThat(bytesInCache(cluster, scr.node())).as("with step %d", step).isCloseTo(one * held, headers);
        }
        scr.finish();
        return 0;
      }, NODES);
      assertThat(cluster.held("n1")).isEqualTo(List.of(4, 5).subList(2 - count, 2));
    }
  }

  /** The price: with a count of one nothing is left in the cache, and the run goes on with the next one. */
  @Test
  void aCheckpointThatFailsUnderAnExactCountOfOneLeavesNoneAndTheNextIsWritten() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, exactly(1, 0), NODES)) {
      CompletableFuture<JsonObject> told = new CompletableFuture<>();
      vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> {
        if (event.body().getString("type").equals("dataset-discarded")) {
          told.complete(event.body());
        }
      });
      List<List<Integer>> left = cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        try (Output failing = scr.startCheckpoint("step-2")) {
          Files.write(failing.route(cluster.prefix() + "/step-2/rank-" + scr.rank()), new byte[10]);
          failing.complete(scr.rank() != 1);
          throw new AssertionError("rank 1 has called it invalid");
        } catch (ScrException e) {
          assertThat(e.fault()).isEqualTo(Fault.NOT_VALID);
        }
        List<Integer> held = cluster.held(scr.node());
        RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
        return held;
      }), NODES);
      assertThat(left).containsOnly(List.of());
      JsonObject discarded = told.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      assertThat(discarded.getInteger("dataset")).isEqualTo(2);
      assertThat(discarded.getString("fault")).isEqualTo(Fault.NOT_VALID.name());
      assertThat(discarded.getString("cause")).contains("rank 1");
      assertThat(cluster.restart(NODES)).isEqualTo(3);
    }
  }

  /** Nothing tells its size before; the next one of the run is past the cache, as the first one was too large. */
  @Test
  void behindAFirstCheckpointWithoutRoomTheNextOneBypassesTheCacheIfThatIsWanted() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, passing(), NODES)) {
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      byte[] large = new byte[BYTES * 3 / 2 + 1];
      cluster.all(scr -> {
        try (Output output = scr.startCheckpoint("step-1")) {
          Files.write(output.route(cluster.prefix() + "/step-1/rank-" + scr.rank()), large);
          assertThatThrownBy(() -> output.complete(true)).isInstanceOf(ScrException.class)
              .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.NO_SPACE);
        }
        both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        assertThat(remarks(cluster)).as("for operators")
            .anySatisfy(remark -> assertThat(remark).contains("the last dataset was refused", "no room in store"));
        both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        try (Output output = scr.startCheckpoint("step-2")) {
          Path place = output.route(cluster.prefix() + "/step-2/rank-" + scr.rank());
          assertThat(place).startsWithRaw(cluster.prefix());
          Files.createDirectories(place.getParent());
          Files.write(place, large);
          output.complete(true);
        }
        assertThat(remarks(cluster)).noneMatch(remark -> remark.contains("refused"));
        scr.finish();
        return null;
      }, NODES);
      assertThat(cluster.prefix().resolve("step-2/rank-1")).hasSize(large.length);
    }
  }

  /** The next run may need the room before it begins: for the files of its restart. */
  @Test
  void whatRanksWereWritingWhenTheirRunEndedIsGoneWithThem() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, narrow(), NODES)) {
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      List<Path> written = cluster.all(scr -> {
        Output output = scr.startCheckpoint("step-1");
        Path place = output.route(cluster.prefix() + "/step-1/rank-" + scr.rank());
        Files.write(place, new byte[BYTES]);
        both.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        scr.close();
        return place;
      }, NODES);
      Eventually.holds("nothing is left of it", () -> written.stream().noneMatch(Files::exists));
    }
  }

  /** The kernel tells the rank, and nobody the daemon. */
  @Test
  void whereARankCannotWriteAllOfItsFileTheStoreIsNamedAndTheNextOneBypassesTheCache() throws Exception {
    Path storage = Files.createDirectories(directory.resolve("cache"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", storage.toString()),
        "small file systems cannot be mounted here: not shown");
    var store = new StoreDescriptor(storage.toString(), GroupDescriptors.NODE, 2, OptionalLong.empty(), true);
    RunPolicy policy = RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.SINGLE, 2), store), FlushPolicy.every(1, true))
        .with(new CachePolicy(false, false, false, true, 0, false, 0));
    byte[] large = new byte[1_500_000];
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      assertThat(cluster.all(scr -> {
        ScrException refusal;
        try (Output output = scr.startCheckpoint("step-1")) {
          Path place = output.route(cluster.prefix() + "/step-1/rank-" + scr.rank());
          boolean whole = true;
          try {
            Files.write(place, scr.rank() == 0 ? large : new byte[10]);
          } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
            whole = false;
          }
          output.complete(whole);
          throw new AssertionError("there was room");
        } catch (ScrException e) {
          refusal = e;
        }
        try (Output output = scr.startCheckpoint("step-2")) {
          Path place = output.route(cluster.prefix() + "/step-2/rank-" + scr.rank());
          Files.createDirectories(place.getParent());
          Files.write(place, large);
          output.complete(true);
        }
        scr.finish();
        return refusal;
      }, NODES)).allSatisfy(refusal -> {
        assertThat(refusal.fault()).isEqualTo(Fault.NOT_VALID);
        assertThat(refusal.getMessage()).contains("rank 0 on node n1: the application says", "store " + storage
            + " is full: it has ", " bytes of the dataset on this node, and free are ", "SCR_CACHE_FULL=BYPASS");
      });
      assertThat(cluster.prefix().resolve("step-2/rank-0")).hasSize(large.length);
    } finally {
      Mounts.unmount(storage);
    }
  }

  @Test
  void aFirstCheckpointLargerThanItsStoreIsRefusedAndTheRunContinues() throws Exception {
    RunPolicy policy = narrow();
    try (TestCluster cluster = new TestCluster(vertx, directory, policy, NODES)) {
      CyclicBarrier both = new CyclicBarrier(NODES.length);
      int share = BYTES * 3 / 2;
      assertThat(cluster.all(scr -> tooLarge(scr, cluster, share + 1, both), NODES)).allSatisfy(refusal -> {
        assertThat(refusal.fault()).isEqualTo(Fault.NO_SPACE);
        assertThat(refusal.getMessage()).contains("node n", "no room in store " + directory.resolve("cache"),
            "and SIZE leaves " + share + " to a node: 1 bytes are missing");
      });
      assertThat(cluster.restart(NODES)).isEqualTo(2);
    }
  }
}
