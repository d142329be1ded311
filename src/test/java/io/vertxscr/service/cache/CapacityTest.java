package io.vertxscr.service.cache;

import io.vertxscr.protocol.node.RunInfo.InitialState;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.flow.gather.Part.RoomEstimate;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the nodes of a store's group share its SIZE, those of others do not. A pending flush of what the restart has
 * passed over holds up one phase for a minute, and none behind it. What is to be flushed stays, also where a node
 * had selected it before. What is still to come of the last dataset's redundancy is needed for the next one. Method:
 * nodes on hosts of their own, virtual time.
 */
class CapacityTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final long DATASET_BYTES = 40;

  @TempDir
  Path directory;
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final List<String> heldUp = new ArrayList<>();
  /** Whether the dataset stays where another node has selected it. */
  private boolean isHeld;

  /** Room for the next dataset on n1, which holds one; n1 and n2 are in one rack. */
  private RoomEstimate room(String group, long sizeBytes) {
    return room(group, sizeBytes, DatasetFlags.CHECKPOINT, FlushState.NOT_WANTED, List.of(1));
  }

  /** @param completed datasets of the run; else the restart has passed them over */
  private RoomEstimate room(
      String group, long sizeBytes, DatasetFlags flags, FlushState flush, List<Integer> completed) {
    return room(group, sizeBytes, Redundancy.of(Scheme.SINGLE, 8), new RedundancySet(List.of(0)), flags, flush,
        completed);
  }

  /** Room behind a restart from a dataset whose redundancy is still to come. @param set where the rank was with it */
  private RoomEstimate room(long sizeBytes, Redundancy redundancy, RedundancySet set) {
    return room(GroupDescriptors.NODE, sizeBytes, redundancy, set, DatasetFlags.CHECKPOINT, FlushState.NOT_WANTED,
        List.of(1));
  }

  private RoomEstimate room(String group, long sizeBytes, Redundancy redundancy, RedundancySet set,
      DatasetFlags flags, FlushState flush, List<Integer> completed) {
    String base = directory.resolve("ssd").toString();
    GroupDescriptors groups = new GroupDescriptors(new TreeMap<>(Map.of("n1", rack("a"), "n2", rack("a"),
        "n3", rack("b"))));
    StoreDescriptor ssd = new StoreDescriptor(base, group, 2, OptionalLong.of(sizeBytes), true);
    CheckpointDescriptor how = new CheckpointDescriptor(
        0, true, 1, GroupDescriptors.NODE, base, redundancy, false);
    RunInfo run = new RunInfo(7, "/p", "job", new RankMap(NODES), Optional.empty(),
        new InitialState(1, 1, 0, List.of()),
        RunPolicy.of(new Descriptors(List.of(how), OptionalInt.empty(), List.of(ssd), groups),
            FlushPolicy.every(0, true)));
    DatasetStore store = DatasetStore.open(new NodeDirectories(Path.of(base), directory.resolve("cntl")));
    store.save(held(store, how, set, flags, flush));
    RunCache cache = new RunCache(run);
    completed.forEach(cache::completed);
    CacheEvictor evictor = new CacheEvictor(loop, "n1", store, Observer.NONE);
    Capacity capacity = new Capacity(loop, new Hosts(), store, evictor, event -> heldUp.add(event.toString()));
    RoomEstimate room = time.await(loop.call(() -> capacity.awaitRoom(run, cache, how, () -> false))).result();
    time.await(loop.call(() -> evictor.makeRoom(cache, List.of(1), base)));
    isHeld = store.find(1).isPresent();
    return room;
  }

  private static TreeMap<String, String> rack(String name) {
    return new TreeMap<>(Map.of("RACK", name));
  }

  private static DatasetRecord held(
      DatasetStore store, CheckpointDescriptor how, RedundancySet set, DatasetFlags flags, FlushState flush) {
    RankFiles files = new RankFiles(0, List.of(new FileMeta("rank.0/a", "a", DATASET_BYTES, OptionalInt.of(1))));
    DatasetDescriptor dataset = new DatasetDescriptor(
        1, "b.1", flags, 1, 1, new Job("u", "j", "1", "c"), new Totals(3, 3 * DATASET_BYTES));
    return new DatasetRecord(dataset, new Origin("/p", NODES.size()), store.cache(1), new RedundancyDescriptor(how, 3),
        flush, List.of(new RankRecord(files, set, Optional.empty())));
  }

  @Test
  void whatFitsOnADeviceOfItsOwnMayNotFitOnOneThatIsShared() {
    assertThat(room(GroupDescriptors.NODE, 2 * DATASET_BYTES)).isEqualTo(RoomEstimate.ENOUGH);
    assertThat(room("RACK", 2 * DATASET_BYTES).refusal()).contains("no room in store", "free are 0");
    assertThat(room("RACK", 4 * DATASET_BYTES - 2).refusal()).contains("free are 39", "1 are missing");
    assertThat(room("RACK", 4 * DATASET_BYTES)).isEqualTo(RoomEstimate.ENOUGH);
    assertThat(room(GroupDescriptors.WORLD, 4 * DATASET_BYTES).refusal()).contains("free are 13");
    assertThat(room(GroupDescriptors.WORLD, 6 * DATASET_BYTES)).isEqualTo(RoomEstimate.ENOUGH);
  }

  /** Of three nodes with 40 bytes each. */
  @Test
  void redundancyThatIsStillToComeIsNeededForTheNextDataset() {
    for (RedundancySet set : List.of(new RedundancySet(List.of(0, 1, 2)), new RedundancySet(List.of(0)))) {
      Map.of(Redundancy.of(Scheme.SINGLE, 3), 0, Redundancy.of(Scheme.XOR, 3), 20, Redundancy.of(Scheme.RS, 3), 80,
          Redundancy.of(Scheme.PARTNER, 3), 40).forEach((redundancy, bytes) -> {
            long enough = 2 * DATASET_BYTES + bytes;
            assertThat(room(enough, redundancy, set)).as("%s in %s", redundancy, set).isEqualTo(RoomEstimate.ENOUGH);
            assertThat(room(enough - 1, redundancy, set).refusal()).as("%s in %s", redundancy, set)
                .contains("will take about " + (DATASET_BYTES + bytes) + " bytes", "1 are missing");
          });
    }
  }

  @Test
  void whatTheRestartHasPassedOverGoesWhenItsFlushHasHadAMinute() {
    Instant begin = loop.clock().instant();
    RoomEstimate room = room(
        GroupDescriptors.NODE, DATASET_BYTES, DatasetFlags.CHECKPOINT, FlushState.WANTED, List.of());
    assertThat(room).isEqualTo(new RoomEstimate(List.of(1), ""));
    assertThat(Duration.between(begin, loop.clock().instant()))
        .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(1).plusSeconds(10));     // with the jobs that look
    assertThat(heldUp).hasSize(1);
    assertThat(isHeld).isFalse();
  }

  @Test
  void outputAndWhatTheRunHasCompletedStayForTheirFlush() {
    assertThat(room(GroupDescriptors.NODE, DATASET_BYTES, DatasetFlags.CHECKPOINT_AND_OUTPUT, FlushState.WANTED,
        List.of()).refusal()).contains("no room in store", "on its way to the prefix directory");
    assertThat(room(GroupDescriptors.NODE, DATASET_BYTES, DatasetFlags.CHECKPOINT, FlushState.WANTED,
        List.of(1)).refusal()).contains("no room in store");
    assertThat(isHeld).isTrue();
    room(GroupDescriptors.NODE, DATASET_BYTES, DatasetFlags.CHECKPOINT, FlushState.NOT_WANTED, List.of(1));
    assertThat(isHeld).isFalse();
  }

  private static final class Hosts implements Membership {
    @Override
    public NodeInfo self() {
      return nodes().getFirst();
    }

    @Override
    public List<NodeInfo> nodes() {
      return NODES.stream().map(name -> new NodeInfo(name, "host of " + name, "127.0.0.1", 1)).toList();
    }

    @Override
    public void listen(Listener listener) {
      // Nobody comes or goes.
    }
  }
}
