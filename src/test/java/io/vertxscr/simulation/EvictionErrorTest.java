package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.format.Samples;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.cache.RunCache;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/**
 * Goal: one error of a disk keeps no dataset in a cache that is to make room. Method: a node in virtual time, on a
 * simulated disk; each operation of the eviction fails in turn.
 */
class EvictionErrorTest {
  private static final int ID = 7;

  private final VirtualTime time = new VirtualTime(new Random(1));
  private int failsIn;
  private int evicted;

  /** Evicts it. @param way in which way @param fails which operation fails. @return whether one has failed */
  private boolean evicts(BiFunction<CacheEvictor, RunCache, Future<Void>> way, int fails) throws IOException {
    SimulatedDisk disk = new SimulatedDisk(time::nowNs);
    SimulatedFileSystem files = new SimulatedFileSystem("n1", disk, new SimulatedDisk(time::nowNs), (_, _, _) -> {
      if (failsIn > 0 && --failsIn == 0) {
        throw new IOException("Input/output error");
      }
    });
    Loop loop = time.loop(new LocalFiles(files));
    DatasetStore store =
        DatasetStore.open(new NodeDirectories(files.getPath("/cache"), files.getPath("/cntl")).create());
    store.use("/other");
    store.place(ID, "/other");
    Path directory = store.directory(ID);
    Files.write(store.createDirectory(ID, 0).resolve("a"), new byte[1]);
    CheckpointDescriptor how = new CheckpointDescriptor(
        0, true, 1, GroupDescriptors.NODE, "/cache", Redundancy.of(Scheme.SINGLE, 8), false);
    RankFiles written = new RankFiles(0, List.of(new FileMeta("rank.0/a", "a", 1, OptionalInt.empty())));
    store.save(new DatasetRecord(Samples.descriptor(ID, "b.7").with(new DatasetDescriptor.Totals(1, 1)),
        new Origin("/p", 1), store.cache(ID), new RedundancyDescriptor(how, 1), FlushState.NOT_WANTED,
        List.of(new RankRecord(written, new RedundancySet(List.of(0)), Optional.empty()))));
    CacheEvictor evictor = new CacheEvictor(
        loop, "n1", store, event -> evicted += event instanceof Event.Evicted ? 1 : 0);
    failsIn = fails;
    evicted = 0;
    Future<Void> gone = loop.call(() -> way.apply(evictor, new RunCache(run())));
    time.runUntil(gone::isComplete, Duration.ofSeconds(1));
    boolean hasFailed = failsIn == 0;
    failsIn = 0;
    assertThat(gone.succeeded()).as("operation %d", fails).isTrue();
    assertThat(store.find(ID)).as("operation %d", fails).isEmpty();
    assertThat(directory).as("operation %d", fails).doesNotExist();
    assertThat(evicted).as("operation %d", fails).isEqualTo(1);
    return hasFailed;
  }

  private static RunInfo run() {
    return new RunInfo(7, "/p", "job", new RankMap(List.of("n1")), Optional.empty(),
        new RunInfo.InitialState(1, 1, 0, List.of()),
        RunPolicy.of(Descriptors.of(Redundancy.of(Scheme.SINGLE, 8), StoreDescriptor.of("/other", 1)),
            FlushPolicy.every(0, true)));
  }

  @Test
  void anyOperationMayFailOnce() throws IOException {
    goesWhateverFails((evictor, _) -> evictor.drop(ID));
  }

  @Test
  void anyOperationMayFailOnceWhereTheNextDatasetNeedsItsRoom() throws IOException {
    goesWhateverFails((evictor, cache) -> evictor.makeRoom(cache, List.of(ID), "/other"));
  }

  private void goesWhateverFails(BiFunction<CacheEvictor, RunCache, Future<Void>> way) throws IOException {
    int failing = 1;
    while (evicts(way, failing)) {
      failing++;
    }
    assertThat(failing).as("operations").isGreaterThan(3);
  }
}
