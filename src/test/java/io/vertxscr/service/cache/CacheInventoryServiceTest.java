package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.format.Samples;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.protocol.node.restart.RanksRestored;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.restart.VerifyDataset;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.LeaderlessBus;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.redundancy.RankRestorer;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a disk that hangs holds up the jobs of the inventory, and not the loop. In virtual time. */
class CacheInventoryServiceTest {
  private static final Duration HANG = Duration.ofMinutes(5);

  private final VirtualTime time = new VirtualTime(new Random(Long.getLong("seed", 1)));
  private final FaultyDisk disk = new FaultyDisk();
  private final Loop loop = time.loop(new LocalFiles(disk.system()));
  private final DatasetStore store = DatasetStore.open(new NodeDirectories(
      disk.directory("/node").resolve("cache"), disk.directory("/node").resolve("control")));
  private final CacheInventoryService inventory = new CacheInventoryService(
      loop, AdmittedPrefixes.of(loop, "/p"), "n1", store,
      new CacheEvictor(loop, "n1", store, Observer.NONE),
      new RankRestorer(loop, new Nobody(), store, (_, _) -> range -> {
        throw new AssertionError(range);
      }),
      new UnreadDatasets(loop, store), () -> false);
  private final List<String> onLoop = new ArrayList<>();

  /** No other node is there but one that has ranks without files. */
  private static final class Nobody extends LeaderlessBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return node.equals("n3") ? Future.succeededFuture(answer.cast(new LayoutReply(((LayoutRequest) request).ranks()
          .stream().map(rank -> new RankLayout(new RankFiles(rank, List.of()), Optional.empty())).toList(), "/cache")))
          : Future.failedFuture(new ScrException(Fault.NODE_LOST, "node " + node + " has left the cluster"));
    }
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  @Test
  void aDatasetInTheWayOfARestoreIsEvictedInAJob() {
    DatasetRecord sample = Samples.record();
    Origin origin = new Origin("/p", 1);
    store.save(new DatasetRecord(sample.descriptor(), origin, store.cache(6), sample.redundancy(),
        sample.flush(), List.of()));
    disk.trouble((_, what) -> {
      if (!time.isInJob()) {
        onLoop.add(what);
      } else if (what.startsWith("sync ")) {
        time.pass(HANG);
      }
    });
    DatasetDescriptor held = sample.descriptor();
    DatasetDescriptor later = new DatasetDescriptor(6, "other", held.flags(), held.checkpointId(),
        held.createdUs() + 1, held.job(), held.totals());
    RestoreRanks request = new RestoreRanks(later, origin,
        store.directories().base().toString(), Samples.REDUNDANCY, FlushState.NOT_WANTED,
        List.of(new RankPlan(0, Action.MOVE, "n2", Samples.SET, List.of())));

    Future<RanksRestored> restored = loop.call(() -> inventory.restore(request));
    time.runUntil(() -> false, Duration.ofSeconds(1));
    Future<Integer> other = loop.call(() -> Future.succeededFuture(1));
    time.settle();
    assertThat(other.isComplete()).isTrue();
    assertThat(restored.isComplete()).as("its eviction hangs").isFalse();
    assertThat(time.await(restored).result().failed()).extracting(failed -> failed.rank()).containsExactly(0);
    assertThat(store.find(6)).isEmpty();
    assertThat(Duration.ofNanos(time.nowNs())).isGreaterThanOrEqualTo(HANG);
    assertThat(onLoop).as("operations of the disk on the loop").isEmpty();
  }

  @Test
  void whatIsToBeFlushedSinceARestoreBeganIsSoBehindIt() throws IOException {
    DatasetKey which = hold();
    store.update(which, held -> held.with(FlushState.NOT_WANTED));
    RanksRestored restored = restoreRank1(() -> store.update(which, held -> held.with(FlushState.WANTED)));
    assertThat(restored.failed()).isEmpty();
    assertThat(store.find(6).orElseThrow().flush()).isEqualTo(FlushState.WANTED);
    assertThat(ranks()).containsExactly(1, 2);
  }

  @Test
  void whatIsEvictedSinceARestoreBeganDoesNotComeBack() throws IOException {
    hold();
    RanksRestored restored = restoreRank1(() -> store.evict(6));
    assertThat(restored.failed()).extracting(failed -> Fault.of(failed.fault()))
        .containsExactly(Fault.NO_SUCH_DATASET);
    assertThat(store.find(6)).isEmpty();
  }

  private List<Integer> ranks() {
    return store.find(6).stream().flatMap(held -> held.ranks().stream()).map(rank -> rank.files().rank()).toList();
  }

  /** @param meanwhile done when the restored files are there, and the filemap is about to be written */
  private RanksRestored restoreRank1(Runnable meanwhile) {
    DatasetRecord held = store.find(6).orElseThrow();
    time.watchJobs((_, what) -> {
      if (what.equals("write filemap of dataset 6")) {
        meanwhile.run();
      }
    });
    Future<RanksRestored> restored = loop.call(() -> inventory.restore(new RestoreRanks(held.descriptor(),
        new Origin("/p", 8), store.directories().base().toString(), held.redundancy(), FlushState.NOT_WANTED,
        List.of(new RankPlan(1, Action.MOVE, "n3", Samples.SET, List.of())))));
    return time.await(restored).result();
  }

  @Test
  void whoAsksDuringTheCheckJoinsIt() throws IOException {
    VerifyDataset everything = new VerifyDataset(hold(), true);
    long all = readsDuring(() -> loop.call(() -> inventory.verify(everything)));
    long both = readsDuring(() ->
        loop.call(() -> Future.all(inventory.verify(everything), inventory.verify(everything))));
    assertThat(both).isEqualTo(all);
  }

  private long readsDuring(Supplier<Future<?>> action) {
    disk.trouble(FaultyDisk.Trouble.NONE);
    Future<?> done = action.get();
    time.runUntil(() -> false, Duration.ofSeconds(1));
    assertThat(done.succeeded()).isTrue();
    return disk.operations().stream().filter(operation -> operation.startsWith("read ")).count();
  }

  /** A checkpoint with a file of rank 2. */
  private DatasetKey hold() throws IOException {
    DatasetRecord sample = Samples.record();
    Path file = store.createDirectory(6).resolve("2/file");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "bytes");
    RankFiles files = new RankFiles(
        2, List.of(new FileMeta("2/file", "file", 5, OptionalInt.of(FileChecks.crc(file)))));
    store.save(new DatasetRecord(sample.descriptor(), sample.origin(), store.cache(6), sample.redundancy(),
        sample.flush(), List.of(new RankRecord(files, Samples.SET, Optional.empty()))));
    return sample.descriptor().key();
  }
}
