package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.config.run.FlushPolicy;
import io.vertxscr.config.run.RunPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.descriptor.Descriptors;
import io.vertxscr.model.descriptor.GroupDescriptors;
import io.vertxscr.model.descriptor.Redundancy;
import io.vertxscr.model.descriptor.StoreDescriptor;
import io.vertxscr.prefix.Mounts;
import io.vertxscr.protocol.Addresses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: what only a flush keeps from being written is written behind it, not refused; and what has no room at all is
 * refused in words that help, leaves nothing behind, and does not end the run.
 */
class RoomTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};
  private static final int BYTES = 100_000;

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

  /** Writes one too large, sees that nothing is left of it, and goes on with a small one; how the first was refused. */
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
  void aFirstCheckpointWithoutRoomForItsRedundancyFailsForAllWithStoreAndBytesAndTheRunGoesOn() throws Exception {
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

  @Test
  void aFirstCheckpointThatIsLargerThanTheSizeOfItsStoreFailsForAllAndTheRunGoesOn() throws Exception {
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
