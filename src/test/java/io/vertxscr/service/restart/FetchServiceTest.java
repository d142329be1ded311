package io.vertxscr.service.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Job;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a fetch takes from the cache no more than it replaces. It takes nothing before all of it is known to be right,
 * and gives no names in the prefix directory once another leader may. Method: one rank with one file, on a file system
 * in memory of a known size.
 */
class FetchServiceTest {
  private static final int BYTES = 1 << 20;
  private static final long CREATED_US = 100;
  private static final String CONTAINER = ".scr/ctr.0.scr";

  private FaultyDisk disk;

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  /** A node and a prefix directory with dataset 1, on a file system of so many times its size. */
  private final class Scene {
    final VirtualTime time = new VirtualTime(new Random(1));
    final NodeDirectories directories;
    final DatasetStore store;
    final FetchService service;
    final PrefixPaths paths;
    final LockUser leader;
    final Path published;

    Scene(double room) throws IOException {
      disk = new FaultyDisk((long) (room * BYTES));
      paths = new PrefixPaths(disk.directory("/prefix"));
      directories = new NodeDirectories(disk.system().getPath("/cache"), disk.system().getPath("/control"));
      store = DatasetStore.open(directories);
      Loop loop = time.loop(new LocalFiles(disk.system()));
      leader = new LockUser("n1", loop.files(), loop.clock());
      service = new FetchService(loop, AdmittedPrefixes.of(loop, "/prefix"), "n1", store, Observer.NONE,
          Extent.MOST_BYTES);
      Files.createDirectories(paths.dataset(1));
      published = Files.write(paths.file("file"), content(1));
      map(FlushedFile.of(meta()));
    }

    private FileMeta meta() throws IOException {
      return new FileMeta("file", "file", BYTES,
          OptionalInt.of(FileChecks.crc(published)), Optional.of(FileStamps.read(published)));
    }

    private void map(FlushedFile file) {
      RankMapWriter map = new RankMapWriter(paths, 1, 1, 1);
      map.writeEntries(0, List.of(new RankEntry(0, List.of(file))));
      map.writeRoot();
    }

    /** The published file is in a container; at its path is a later one of the user. */
    void pack() throws IOException {
      FileMeta file = meta();
      Files.createDirectories(paths.dataset(1).resolve(".scr"));
      Files.move(published, paths.dataset(1).resolve(CONTAINER));
      Files.write(published, content(2));
      map(FlushedFile.packed(file, List.of(new Segment(CONTAINER, 0, BYTES))));
    }

    /** The cache holds this. */
    void hold(int id, long createdUs, FlushState flush) throws IOException {
      hold(id, createdUs, flush, origin());
    }

    void hold(int id, long createdUs, FlushState flush, Origin origin) throws IOException {
      Files.write(store.createDirectory(id, 0).resolve("file"), content(id));
      String name = store.directory(id).relativize(store.directory(id, 0)) + "/file";
      store.save(new DatasetRecord(dataset(id, createdUs), origin, store.cache(id), redundancy(), flush,
          List.of(new RankRecord(new RankFiles(0, List.of(new FileMeta(name, "file", BYTES,
              OptionalInt.empty(), Optional.empty()))), new RedundancySet(List.of(0)), Optional.empty()))));
    }

    Origin origin() {
      return new Origin("/prefix", 1, FlushDescriptor.FILES);
    }

    RedundancyDescriptor redundancy() {
      return new RedundancyDescriptor(
          new CheckpointDescriptor(0, true, 1, "NODE", "/cache", Redundancy.of(Scheme.SINGLE, 8), false), 0);
    }

    Future<Ack> fetch() {
      return fetch(new FetchRanks.FetchMode(false, 2));
    }

    Future<Ack> fetch(FetchRanks.FetchMode how) {
      return time.await(Future.succeededFuture().compose(_ -> service.fetch(new FetchRanks(
          dataset(1, CREATED_US), origin(), "/cache", redundancy(), List.of(0), how))));
    }

    Future<Ack> commit() {
      return time.await(Future.succeededFuture().compose(_ -> service.commit(dataset(1, CREATED_US).key())));
    }

    Future<Ack> discard() {
      return time.await(service.discard(dataset(1, CREATED_US).key()));
    }

    /** A flush of dataset 2 that has not come to its end has taken the file's path. */
    void replace() throws IOException {
      Files.move(published, paths.kept("file", 2));
      Files.write(published, content(2));
    }

    void truncate() throws IOException {
      Files.write(published, new byte[BYTES / 2]);
    }

    List<Integer> held() {
      return store.list().stream().map(record -> record.descriptor().id()).toList();
    }

    byte[] cached(int id) throws IOException {
      return Files.readAllBytes(NodeDirectories.resolve(store.directory(id),
          store.find(id).orElseThrow().ranks().getFirst().files().files().getFirst().name()));
    }

    Path draft() {
      return store.draft(1, "/cache");
    }
  }

  private static DatasetDescriptor dataset(int id, long createdUs) {
    return new DatasetDescriptor(id, "step-" + id, DatasetFlags.CHECKPOINT, id, createdUs,
        new Job("user", "job", "1", "alpha"), DatasetDescriptor.Totals.NONE);
  }

  private static byte[] content(int id) {
    byte[] bytes = new byte[BYTES];
    new Random(id).nextBytes(bytes);
    return bytes;
  }

  private static void failsWith(Future<?> future, Fault fault) {
    assertThat(future.failed()).isTrue();
    assertThat(future.cause()).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault));
  }

  @Test
  void whatTheCacheHoldsStaysUntilTheCommit() throws IOException {
    Scene scene = new Scene(8);
    scene.hold(1, CREATED_US, FlushState.NOT_WANTED);
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.store.find(1).orElseThrow().flush()).isEqualTo(FlushState.NOT_WANTED);
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.commit().succeeded()).as("said again").isTrue();
    assertThat(scene.store.find(1).orElseThrow().flush()).isEqualTo(FlushState.DONE);
    assertThat(scene.cached(1)).isEqualTo(content(1));
    assertThat(scene.draft()).doesNotExist();
  }

  @Test
  void aFetchThatFailsHereOrElsewhereLeavesWhatTheCacheHolds() throws IOException {
    Scene scene = new Scene(8);
    scene.hold(1, CREATED_US, FlushState.DONE);
    DatasetRecord before = scene.store.find(1).orElseThrow();
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.discard().succeeded()).isTrue();
    assertThat(scene.draft()).doesNotExist();
    failsWith(scene.commit(), Fault.NO_SUCH_DATASET);
    scene.truncate();
    failsWith(scene.fetch(), Fault.CORRUPT);
    assertThat(scene.store.find(1)).contains(before);
    assertThat(scene.cached(1)).isEqualTo(content(1));
    assertThat(scene.draft()).doesNotExist();
  }

  @Test
  void aLaterHistoryOfTheIdThatIsNowhereElseIsNotReplaced() throws IOException {
    Scene scene = new Scene(8);
    scene.hold(1, CREATED_US + 1, FlushState.NOT_WANTED);
    failsWith(scene.fetch(), Fault.WRONG_STATE);
    assertThat(scene.store.find(1).orElseThrow().descriptor().createdUs()).isEqualTo(CREATED_US + 1);
    scene.hold(1, CREATED_US - 1, FlushState.NOT_WANTED);
    assertThat(scene.fetch().succeeded()).as("an earlier one is").isTrue();
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.store.find(1).orElseThrow().descriptor().createdUs()).isEqualTo(CREATED_US);
  }

  @Test
  void whatALaterDatasetHasReplacedIsCopiedWhereFilesAreReadInPlace() throws IOException {
    Scene scene = new Scene(8);
    FetchRanks.FetchMode inPlace = new FetchRanks.FetchMode(true, 2);
    assertThat(scene.fetch(inPlace).succeeded()).isTrue();
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.service.inPlace(1)).isPresent();
    scene.replace();
    assertThat(scene.fetch(inPlace).succeeded()).isTrue();
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.service.inPlace(1)).isEmpty();
    assertThat(scene.cached(1)).isEqualTo(content(1));
    Files.delete(scene.paths.kept("file", 2));
    failsWith(scene.fetch(inPlace), Fault.CORRUPT);
  }

  @Test
  void withoutRoomForBothThePublishedFilesAreReadBackBeforeTheCachedOnesGo() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(1, CREATED_US, FlushState.DONE);
    DatasetRecord before = scene.store.find(1).orElseThrow();
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.store.find(1)).contains(before);
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.cached(1)).isEqualTo(content(1));
    scene.truncate();
    failsWith(scene.fetch(), Fault.CORRUPT);
    assertThat(scene.cached(1)).isEqualTo(content(1));
  }

  @Test
  void onlyFlushedDatasetsMakeRoom() throws IOException {
    Scene scene = new Scene(3.5);
    scene.hold(2, 200, FlushState.NOT_WANTED);
    scene.hold(3, 300, FlushState.DONE);
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.held()).containsExactly(2);
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.held()).containsExactly(1, 2);
  }

  /** The run goes on from what is fetched; until that has been read, the older one is the better part of nothing. */
  @Test
  void anOlderCheckpointMakesRoomOnceThePublishedFilesHaveBeenRead() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED);
    makesRoomAtTheCommit(scene);
  }

  /** Dataset 2 goes when all nodes have read the published files. */
  private static void makesRoomAtTheCommit(Scene scene) throws IOException {
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.held()).containsExactly(2);
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.held()).containsExactly(1);
    assertThat(scene.cached(1)).isEqualTo(content(1));
  }

  @Test
  void anOlderCheckpointMakesRoomForOneInContainers() throws IOException {
    Scene scene = new Scene(3.5);                         // with the user's file at its path
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED);
    scene.pack();
    makesRoomAtTheCommit(scene);
  }

  @Test
  void anOlderCheckpointStaysIfTheContainersOfTheNewerOneHaveOtherBytes() throws IOException {
    Scene scene = new Scene(3.5);
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED);
    scene.pack();
    Files.write(scene.paths.dataset(1).resolve(CONTAINER), content(3));
    failsWith(scene.fetch(), Fault.CORRUPT);
    assertThat(scene.cached(2)).isEqualTo(content(2));
  }

  @Test
  void anOlderCheckpointStaysIfTheNewerOneCannotBeRead() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED);
    scene.truncate();
    failsWith(scene.fetch(), Fault.CORRUPT);
    assertThat(scene.cached(2)).isEqualTo(content(2));
  }

  @Test
  void anOlderCheckpointThatIsToBeFlushedStays() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(2, CREATED_US - 1, FlushState.WANTED);
    failsWith(scene.fetch(), Fault.NO_SPACE);
    assertThat(scene.held()).containsExactly(2);
  }

  @Test
  void anOlderCheckpointThatIsToBeFlushedSinceTheFetchStays() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED);
    assertThat(scene.fetch().succeeded()).isTrue();
    scene.store.update(dataset(2, CREATED_US - 1).key(), held -> held.with(FlushState.WANTED));
    assertThat(scene.commit().failed()).as("there is no room for it").isTrue();
    assertThat(scene.held()).containsExactly(2);
    assertThat(scene.cached(2)).isEqualTo(content(2));
  }

  @Test
  void anOlderCheckpointOfARunOfAnotherSizeStays() throws IOException {
    Scene scene = new Scene(2.5);
    scene.hold(2, CREATED_US - 1, FlushState.NOT_WANTED, new Origin("/prefix", 2, FlushDescriptor.FILES));
    failsWith(scene.fetch(), Fault.NO_SPACE);
    assertThat(scene.held()).containsExactly(2);
  }

  @Test
  void whereNothingMayGoTheFetchIsRefused() throws IOException {
    Scene scene = new Scene(3.5);
    scene.hold(2, 200, FlushState.NOT_WANTED);
    scene.hold(3, 300, FlushState.WANTED);
    Future<Ack> refused = scene.fetch();
    failsWith(refused, Fault.NO_SPACE);
    assertThat(refused.cause()).hasMessageContaining("kept are datasets [2, 3]");
    assertThat(scene.held()).containsExactly(2, 3);
  }

  @Test
  void aDraftOfAnEarlierLifeIsThrownAway() throws IOException {
    Scene scene = new Scene(8);
    assertThat(scene.fetch().succeeded()).isTrue();
    assertThat(scene.draft()).isDirectory();
    DatasetStore.open(scene.directories).emptyTrash();
    assertThat(scene.draft()).doesNotExist();
  }

  /** Method: another leader takes over between the fetch and its commit. */
  @Test
  void filesOfContainersGetNoPathOnceAnotherLeaderHasTakenOver() throws IOException {
    Scene scene = new Scene(8);
    scene.pack();
    PrefixToken mine = PrefixFence.takeOver(scene.paths, scene.leader, "n1", PrefixToken.id(1));
    FetchRanks.FetchMode byPath = new FetchRanks.FetchMode(false, true, 2, Optional.of(mine));
    assertThat(scene.fetch(byPath).succeeded()).isTrue();
    PrefixFence.takeOver(scene.paths, scene.leader, "n2", PrefixToken.id(2));
    failsWith(scene.commit(), Fault.TAKEN_OVER);
    assertThat(scene.published).hasBinaryContent(content(2));

    PrefixToken newest = PrefixFence.takeOver(scene.paths, scene.leader, "n1", PrefixToken.id(3));
    assertThat(scene.fetch(new FetchRanks.FetchMode(false, true, 2, Optional.of(newest))).succeeded()).isTrue();
    assertThat(scene.commit().succeeded()).isTrue();
    assertThat(scene.published).hasBinaryContent(content(1));
  }
}
