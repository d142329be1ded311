package io.vertxscr.service.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.NodeSpace;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.run.RunView;
import io.vertxscr.protocol.node.run.StoreSpace;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.run.RunService;
import io.vertxscr.service.run.StatusService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a picture of a thousand nodes is bounded in bytes, and what losses cost is computed once. Method: the services
 * of one node, whose bus answers for all: 4 ranks on each, three datasets in XOR sets of 8.
 */
@Timeout(120)
class LargePictureTest {
  private static final int NODES = 1000;
  private static final int RANKS_OF_NODE = 4;
  private static final int SET = 8;
  private static final List<NodeInfo> ALL =
      IntStream.rangeClosed(1, NODES).mapToObj(i -> new NodeInfo("n" + i, "host", "127.0.0.1", 1)).toList();
  private static final List<String> NAMES = ALL.stream().map(NodeInfo::name).toList();

  @TempDir
  private Path directory;

  private static final class Members extends OneNode {
    @Override
    public List<NodeInfo> nodes() {
      return ALL;
    }
  }

  /** Answers for all nodes at once. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return Future.succeededFuture(answer.cast(switch (verb) {
        case INVENTORY -> inventory(NAMES.indexOf(node));
        case SPACE -> new NodeSpace(List.of(new StoreSpace("/dev/shm", 80_000_000_000L, 270_000_000_000L, 42)));
        default -> throw new AssertionError(verb);
      }));
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError(verb);
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      return Future.succeededFuture(answer.cast(new OpenWaits("the application computes", List.of(), List.of(),
          List.of(), List.of(), List.of(),
          Optional.of(new RunView(7, "large", directory.toString(), NODES * RANKS_OF_NODE, NAMES)),
          Optional.empty())));
    }

    @Override
    public void onlyLeader(String leader) {
      throw new AssertionError(leader);
    }
  }

  private Inventory inventory(int node) {
    return new Inventory("n" + (node + 1), List.of(dataset(node, 1), dataset(node, 2), dataset(node, 3)));
  }

  private Inventory.Dataset dataset(int node, int id) {
    List<Inventory.Held> held = new ArrayList<>();
    for (int k = 0; k < RANKS_OF_NODE; k++) {
      int first = node / SET * SET;
      int of = k;
      held.add(new Inventory.Held(node * RANKS_OF_NODE + k, new RedundancySet(IntStream.range(first, first + SET)
          .mapToObj(member -> member * RANKS_OF_NODE + of).toList()), true, true));
    }
    return new Inventory.Dataset(new DatasetDescriptor(id, "step-" + id, DatasetFlags.CHECKPOINT, 1, id * 1_000_000L,
        new Job("large", "", "", ""), DatasetDescriptor.Totals.NONE), new Origin(directory.toString(),
        NODES * RANKS_OF_NODE), "/dev/shm", new RedundancyDescriptor(new CheckpointDescriptor(
            0, true, 1, "NODE", "/dev/shm", Redundancy.of(Scheme.XOR, SET), false), NODES * RANKS_OF_NODE / SET),
        FlushState.NOT_WANTED, held);
  }

  @Test
  void aThousandNodesFitIntoOneAnswer() {
    VirtualTime time = new VirtualTime(new SplittableRandom(1));
    Loop loop = time.loop();
    Bus bus = new Bus();
    Members members = new Members();
    Prefixes prefixes = new Prefixes(loop, "n1");
    DatasetStore store = DatasetStore.open(
        new NodeDirectories(directory.resolve("cache"), directory.resolve("control")).create());
    ClusterPicture picture = new ClusterPicture(loop, new StatusService(loop, bus, members,
        new RunService(loop, bus, members, new Epoch(members), prefixes), store, _ -> Optional.empty(),
        GroupDescriptors.BUILT_IN), prefixes, GroupDescriptors.BUILT_IN);
    JsonObject drawn = now(time, loop, picture, "the first");
    int bytes = drawn.encode().length();
    System.out.printf("%d nodes: %d bytes%n", NODES, bytes);
    assertThat(bytes).isLessThan(1_000_000);
    assertThat(drawn.getJsonObject("status").getJsonArray("nodes")).hasSize(NODES);
    JsonObject losses = drawn.getJsonObject("losses");
    assertThat(losses.getJsonArray("one").getJsonObject(0).getJsonArray("examples")).hasSize(NODES);
    JsonObject fatal = losses.getJsonArray("two").getJsonObject(0);
    assertThat(fatal.getLong("count")).as("pairs within a set").isEqualTo(NODES / SET * (SET * (SET - 1L) / 2));
    assertThat(fatal.getJsonArray("examples")).hasSizeLessThan(10);
    JsonArray sets = losses.getJsonObject("layout").getJsonArray("sets");
    assertThat(sets).hasSize(NODES / SET);
    assertThat(losses.getJsonArray("drain")).singleElement().satisfies(drain ->
        assertThat(((JsonObject) drain).getBoolean("may")).as("the run has ranks on all").isFalse());
    assertThat(now(time, loop, picture, "the next").getJsonObject("losses")).as("not computed again").isSameAs(losses);
  }

  private static JsonObject now(VirtualTime time, Loop loop, ClusterPicture picture, String which) {
    long begunNs = System.nanoTime();
    Future<JsonObject> drawn = loop.call(picture::now);
    assertThat(time.runUntil(drawn::isComplete, Duration.ofMinutes(1))).isTrue();
    System.out.printf("%s picture in %d ms%n", which, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNs));
    return drawn.result();
  }
}
