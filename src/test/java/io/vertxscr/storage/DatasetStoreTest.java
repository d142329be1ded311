package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.model.CacheDirectory;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Goal: what a filemap says is held, all else is garbage, through every restart. */
class DatasetStoreTest {
  private static final RedundancySet SET = new RedundancySet(List.of(0, 3));

  @TempDir
  Path root;

  private NodeDirectories directories;

  @BeforeEach
  void directories() {
    directories = new NodeDirectories(root.resolve("cache"), root.resolve("control"));
  }

  @Test
  void knowsAfterARestartWhatWasSavedBefore() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 10, 1);
    write(store, 2, 1);
    DatasetStore again = DatasetStore.open(directories);
    assertThat(again.list()).containsExactly(dataset(2, 1), dataset(10, 1));
    assertThat(again.find(10)).contains(dataset(10, 1));
    assertThat(again.find(3)).isEmpty();
    assertThat(again.redundancy(10, 0)).contains(cached(10).resolve(".scr/g1/1_of_2_in_0.xor"));
    assertThat(again.files(10, 0)).contains(new DatasetStore.Holding(files(), true));
    assertThat(again.files(10, 3)).isEmpty();
    assertThat(cached(10).resolve("rank.0/a")).exists();
  }

  @Test
  void aStoreThatOutlivesItsFilemapsIsTold(@TempDir(factory = TempDirFactory.Standard.class) Path disk) {
    assumeTrue(LocalFiles.isInMemory(root) && !LocalFiles.isInMemory(disk), "a file system in memory, and another");
    Path control = root.resolve("control");
    assertThat(DatasetStore.open(new NodeDirectories(disk, control)).remark().orElseThrow())
        .contains(control.toString(), disk.toString(), "SCR_CNTL_BASE");
    assertThat(DatasetStore.open(new NodeDirectories(disk, disk.resolve("control"))).remark()).isEmpty();
    assertThat(DatasetStore.open(directories).remark()).as("both go").isEmpty();
  }

  /** Between its choice and its end its files may be read once more. */
  @Test
  void aChosenDatasetStaysThatIsToBeFlushedSince() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    DatasetRecord chosen = store.find(1).orElseThrow();
    store.update(chosen.key(), held -> held.with(FlushState.WANTED));
    assertThat(store.evict(chosen)).isFalse();
    assertThat(cached(1)).exists();
    assertThat(store.evict(store.find(1).orElseThrow())).isTrue();
    assertThat(cached(1)).doesNotExist();
    assertThat(store.evict(chosen)).as("it is not here").isFalse();
  }

  @Test
  void throwsAwayDatasetsWithoutFilemapWhenItStarts() throws IOException {
    write(DatasetStore.open(directories), 1, 1);
    Files.createDirectories(cached(2).resolve("rank.0"));
    Files.writeString(cached(2).resolve("rank.0").resolve("a"), "unfinished");
    Files.writeString(directories.cache().resolve("not-ours"), "stays");
    DatasetStore store = DatasetStore.open(directories);
    assertThat(cached(1)).exists();
    assertThat(cached(2)).doesNotExist();
    assertThat(directories.cache().resolve("not-ours")).exists();
    assertThat(Bins.trashBin(directories.cache())).isNotEmptyDirectory();
    store.emptyTrash();
    assertThat(Bins.trashBin(directories.cache())).isEmptyDirectory();
  }

  @Test
  void throwsAwayRedundancyThatNoFilemapNamesAndDraftsWhenItStarts() throws IOException {
    write(DatasetStore.open(directories), 1, 2);
    Path scr = cached(1).resolve(".scr");
    Files.createDirectories(scr.resolve("g3"));
    Files.createDirectories(scr.resolve("draft.0.123"));
    Files.writeString(directories.control().resolve("scr.dataset.1.scrfilemap.draft"), "half a filem");
    DatasetStore.open(directories);
    assertThat(scr.toFile().list()).containsExactly("g2");
    assertThat(directories.control().toFile().list()).containsExactly("scr.dataset.1.scrfilemap");
  }

  /** Its directory was thrown away when the rank moved to another node, and a loss of power has brought it back. */
  @Test
  void throwsAwayRanksThatNoFilemapNamesWhenItStarts() throws IOException {
    write(DatasetStore.open(directories), 1, 1);
    Files.writeString(Files.createDirectory(cached(1).resolve("rank.3")).resolve("a"), "of another node now");
    Files.createDirectory(cached(1).resolve("rank.x"));
    DatasetStore.open(directories);
    assertThat(cached(1).toFile().list()).containsExactlyInAnyOrder(".scr", "rank.0", "rank.x");
  }

  @Test
  void movesFilemapsAsideThatItCannotUnderstand() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    write(store, 2, 1);
    write(store, 3, 1);
    byte[] bytes = Files.readAllBytes(directories.filemap(1));
    bytes[bytes.length / 2] ^= 1;
    Files.write(directories.filemap(1), bytes);
    Files.copy(directories.filemap(2), directories.filemap(4));
    DatasetStore again = DatasetStore.open(directories);
    assertThat(again.list()).containsExactly(dataset(2, 1), dataset(3, 1));
    assertThat(directories.control().resolve("scr.dataset.1.scrfilemap.unreadable")).hasBinaryContent(bytes);
    assertThat(directories.filemap(1)).doesNotExist();
    assertThat(directories.filemap(4)).doesNotExist();
    assertThat(DatasetStore.open(directories).list()).isEqualTo(again.list());
  }

  @Test
  void evictsTheFilemapBeforeTheFilesAndKeepsTheRedundancyFileForTheNext() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    store.evict(1);
    assertThat(store.find(1)).isEmpty();
    assertThat(store.files(1, 0)).isEmpty();
    assertThat(directories.filemap(1)).doesNotExist();
    assertThat(cached(1)).doesNotExist();
    Path target = cached(2).resolve(".scr/g1/1_of_2_in_0.xor");
    assertThat(store.takeRecycled(2, target)).isTrue();
    assertThat(Files.readAllBytes(target)).startsWith(new byte[20]).endsWith("parity of 1".getBytes());
    assertThat(store.takeRecycled(2, target.resolveSibling("other"))).isFalse();
    assertThat(target.resolveSibling("other")).doesNotExist();
    store.evict(1);
  }

  @Test
  void evictsADatasetWhoseFilesCannotBeForgottenNotAtAll() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    Files.delete(directories.filemap(1));
    Files.createDirectories(directories.filemap(1).resolve("in the way"));
    assertThatThrownBy(() -> store.evict(1)).isInstanceOf(ScrException.class);
    assertThat(store.find(1)).isPresent();
    assertThat(cached(1).resolve("rank.0/a")).exists();
  }

  @Test
  void recyclesOneDatasetsFilesAtMost() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    for (int id = 1; id <= 5; id++) {
      write(store, id, 1);
    }
    for (int id = 1; id <= 5; id++) {
      store.evict(id);
      assertThat(Bins.recycledBin(directories.cache()).toFile().list()).hasSize(1);
    }
    assertThat(store.takeRecycled(1, root.resolve("taken"))).isTrue();
    assertThat(Files.readString(root.resolve("taken"))).endsWith("parity of 5");
  }

  @Test
  void doesNotRecycleWhatMayStillBeWrittenTo() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    store.register(1, files());
    Path unsealed = store.createDirectory(1).resolve(".scr/g1/1_of_2_in_0.xor");
    Files.createDirectories(unsealed.getParent());
    Files.writeString(unsealed, "half");
    store.evict(1);
    assertThat(store.takeRecycled(1, root.resolve("taken"))).isFalse();
    assertThat(cached(1)).doesNotExist();
  }

  @Test
  void recyclesTheOldRedundancyWhenANewOneIsSaved() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    assertThat(store.createGeneration(1)).isEqualTo(2);
    assertThat(store.createGeneration(1)).isEqualTo(3);
    write(store, 1, 3);
    assertThat(cached(1).resolve(".scr/g1/1_of_2_in_0.xor")).doesNotExist();
    assertThat(cached(1).resolve(".scr/g3/1_of_2_in_0.xor")).exists();
    assertThat(store.takeRecycled(1, root.resolve("taken"))).isTrue();
  }

  @Test
  void servesRegisteredFilesUntilTheyAreSavedOrEvicted() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    store.register(1, files());
    store.register(2, files());
    assertThat(store.files(1, 0)).contains(new DatasetStore.Holding(files(), false));
    assertThat(store.redundancy(1, 0)).isEmpty();
    write(store, 1, 1);
    assertThat(store.files(1, 0)).contains(new DatasetStore.Holding(files(), true));
    store.evict(2);
    assertThat(store.files(2, 0)).isEmpty();
    assertThatThrownBy(() -> store.register(1, files()))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.WRONG_STATE));
  }

  @Test
  void aFailedSaveChangesNothing() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    Files.createDirectories(directories.control().resolve("scr.dataset.1.scrfilemap.draft/in the way"));
    assertThatThrownBy(() -> store.save(dataset(1, 2))).isInstanceOf(ScrException.class);
    assertThat(store.find(1)).contains(dataset(1, 1));
    assertThat(store.redundancy(1, 0).orElseThrow()).exists();
  }

  @Test
  void namesInTheFilemapCannotLeadOutOfTheDataset() {
    for (String name : List.of("../a", "rank.0/../../a", "/etc/passwd", ".", "a\0b")) {
      assertThatThrownBy(() -> NodeDirectories.resolve(cached(1), name)).as(name)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
    }
    assertThat(NodeDirectories.resolve(cached(1), "rank.0/..a")).hasFileName("..a");
  }

  @Test
  void agreesWithAPlainMapThroughRandomCallsAndRestarts() throws IOException {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("DatasetStoreTest seed " + seed);
    var random = new Random(seed);
    DatasetStore store = DatasetStore.open(directories);
    Map<Integer, DatasetRecord> expected = new TreeMap<>();
    for (int step = 0; step < 400; step++) {
      int id = 1 + random.nextInt(6);
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          int generation = store.createGeneration(id);
          write(store, id, generation);
          expected.put(id, dataset(id, generation));
        }
        case 2 -> {
          store.evict(id);
          expected.remove(id);
        }
        case 3 -> store.createDirectory(id);
        case 4 -> store.takeRecycled(1, root.resolve("taken"));
        default -> store = DatasetStore.open(directories);
      }
      assertThat(store.list()).as("seed %d step %d", seed, step).isEqualTo(List.copyOf(expected.values()));
      for (int held : expected.keySet()) {
        assertThat(store.redundancy(held, 0).orElseThrow()).as("seed %d step %d", seed, step)
            .content().endsWith("parity of " + held);
      }
    }
    store.emptyTrash();
    assertThat(Bins.trashBin(directories.cache())).isEmptyDirectory();
    assertThat(Bins.recycledBin(directories.cache()).toFile().list()).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void keepsDatasetsInSeveralStoresAndFindsThemAgain() throws IOException {
    Path ssd = root.resolve("ssd");
    Path ram = root.resolve("ram");
    directories = new NodeDirectories(ram, Path.of("user1", "scr.439", "n1"), root.resolve("control"));
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    store.use(ssd.toString());
    store.place(2, ssd.toString());
    writeTo(store, 2);
    store.place(3, ssd.toString());
    Files.writeString(store.createDirectory(3, 0).resolve("a"), "unfinished");
    assertThat(ram.resolve("user1/scr.439/n1/scr.dataset.1/rank.0/a")).exists();
    assertThat(ssd.resolve("user1/scr.439/n1/scr.dataset.2/rank.0/a")).exists();
    assertThat(store.directory(2)).isEqualTo(ssd.resolve("user1/scr.439/n1/scr.dataset.2"));

    DatasetStore again = DatasetStore.open(directories);
    assertThat(again.list()).extracting(record -> record.cache().base()).containsExactly("" + ram, "" + ssd);
    assertThat(again.redundancy(2, 0).orElseThrow()).exists();
    assertThat(ssd.resolve("user1/scr.439/n1/scr.dataset.3")).doesNotExist();
    again.place(2, ram.toString());                       // held already, and stays where it is
    assertThat(again.cache(2).base()).isEqualTo("" + ssd);
    again.evict(2);
    assertThat(ssd.resolve("user1/scr.439/n1/scr.dataset.2")).doesNotExist();
    again.emptyTrash();
    assertThat(ssd.resolve("user1/scr.439/n1/.trash")).isEmptyDirectory();
  }

  @Test
  void throwsAwayWhatAnEarlierLifeLeftInAStoreWhenItIsFirstUsed() throws IOException {
    Path ssd = root.resolve("ssd");
    Files.createDirectories(ssd.resolve("scr.dataset.3/rank.0"));
    Files.createDirectories(ssd.resolve("scr.dataset.4/rank.0"));
    DatasetStore store = DatasetStore.open(directories);
    store.use(ssd.toString());
    store.place(4, ssd.toString());
    store.createDirectory(4);
    assertThat(ssd.resolve("scr.dataset.3")).doesNotExist();
    assertThat(ssd.resolve("scr.dataset.4/rank.0")).exists();
  }

  @Test
  void recyclesRedundancyFilesWithinTheirStore() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    store.use(root.resolve("ssd").toString());
    store.place(1, root.resolve("ssd").toString());
    writeTo(store, 1);
    store.evict(1);
    assertThat(store.takeRecycled(2, root.resolve("taken"))).isFalse();
    store.place(3, root.resolve("ssd").toString());
    assertThat(store.takeRecycled(3, store.createDirectory(3).resolve("taken"))).isTrue();
  }

  private Path cached(int id) {
    return NodeDirectories.dataset(directories.cache(), id);
  }

  /** A script after each job empties the scratch directory of its node. */
  @Test
  void goesOnWhereSomebodyHasDeletedTheWholeStore() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    write(store, 1, 1);
    write(store, 2, 1);
    store.evict(1);
    Trees.delete(directories.base());
    store.emptyTrash();
    store.evict(2);
    directories.create(directories.cache());              // as the next run begins
    write(store, 3, 1);
    store.evict(3);
    assertThat(cached(3)).doesNotExist();
    assertThat(Bins.recycledBin(directories.cache())).isNotEmptyDirectory();
    store.reclaim(directories.base().toString());
    assertThat(Bins.trashBin(directories.cache())).isEmptyDirectory();
    assertThat(Bins.recycledBin(directories.cache())).isEmptyDirectory();
  }

  /** Writes to the dataset in any store. */
  private static void writeTo(DatasetStore store, int id) throws IOException {
    Files.writeString(store.createDirectory(id, 0).resolve("a"), "abc");
    Path redundancy = store.directory(id).resolve(".scr/g1/1_of_2_in_0.xor");
    Files.createDirectories(redundancy.getParent());
    Files.writeString(redundancy, "a header of 20 bytes parity of " + id);
    store.save(dataset(id, 1, store.cache(id)));
  }

  private void write(DatasetStore store, int id, int generation) throws IOException {
    Files.writeString(store.createDirectory(id, 0).resolve("a"), "abc");
    Path redundancy = cached(id).resolve(".scr/g" + generation + "/1_of_2_in_0.xor");
    Files.createDirectories(redundancy.getParent());
    Files.writeString(redundancy, "a header of 20 bytes parity of " + id);
    store.save(dataset(id, generation));
  }

  private DatasetRecord dataset(int id, int generation) {
    return dataset(id, generation, directories.cache(directories.base().toString()));
  }

  static DatasetRecord dataset(int id, int generation, CacheDirectory cache) {
    var descriptor = new DatasetDescriptor(id, "b." + id, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L,
        new Job("user1", "sim", "439", "alpha"), new DatasetDescriptor.Totals(2, 6));
    return new DatasetRecord(descriptor, new Origin("/prefix", 4), cache, new RedundancyDescriptor(
        new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(Scheme.XOR, 8), false), 1),
        FlushState.NOT_WANTED,
        List.of(new RankRecord(files(), SET, Optional.of(".scr/g" + generation + "/1_of_2_in_0.xor"))));
  }

  private static RankFiles files() {
    return new RankFiles(0, List.of(new FileMeta("rank.0/a", "out/a", 3, OptionalInt.of(0x352441c2))));
  }
}
