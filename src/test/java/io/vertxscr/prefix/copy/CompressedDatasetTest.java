package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.Compression;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.prefix.publish.DatasetRemoval;
import io.vertxscr.prefix.publish.Withdrawal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: compressed files are published, kept, fetched and removed as others, under their own names. */
class CompressedDatasetTest {
  @TempDir
  Path temp;
  private Samples samples;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
  }

  private FlushCopy copy(int dataset) {
    return new FlushCopy(samples.paths, Samples.owner(dataset), samples.cacheOf(dataset), new OwnDrafts())
        .compressing(Optional.of(Compression.STANDARD)).resuming(Extent.MOST_BYTES);
  }

  private RankEntry published(int dataset, RankFiles rank) {
    FlushCopy copy = copy(dataset);
    rank.files().forEach(copy::copy);
    copy.publish(rank.files());
    List<Long> stored = copy.storedBytes(rank);
    List<FlushedFile> files = new ArrayList<>();
    for (int i = 0; i < stored.size(); i++) {
      files.add(FlushedFile.of(rank.files().get(i)).compressed(stored.get(i)));
    }
    return new RankEntry(rank.rank(), files);
  }

  private void complete(DatasetDescriptor bare, RankEntry entry, RankFiles rank) {
    DatasetDescriptor descriptor = Samples.withTotals(bare, List.of(rank));
    RankMapWriter map = new RankMapWriter(samples.paths, descriptor.id(), 1, 1);
    map.writeEntries(0, List.of(entry));
    map.writeRoot();
    samples.publication.enlist(descriptor, Samples.TIME);
    samples.publication.removeReplaced(descriptor);
    samples.publication.seal(descriptor);
    copy(descriptor.id()).removeKept(rank.files());
  }

  private RankFiles fetched(int dataset, RankEntry entry) {
    return Samples.fetched(new FetchCopy(samples.paths, dataset, temp.resolve("back")), entry);
  }

  @Test
  void unreadFilesGetTheirChecksumsFromTheirCompression() {
    RankFiles known = samples.cached(3, 0, "a/x", "empty");
    RankFiles unread = samples.unread(3, 0, "a/x", "empty");
    FlushCopy copy = copy(3);
    unread.files().forEach(copy::copy);
    assertThat(copy.learned().into(unread).files().stream().map(FileMeta::crc).toList())
        .isEqualTo(known.files().stream().map(FileMeta::crc).toList());
  }

  @Test
  void filesComeBackAndHaveLeftNothingBesideTheirPlaces() {
    RankFiles rank = samples.cached(3, 0, "a/x", "x", "empty", "x.zst");
    RankEntry entry = published(3, rank);
    assertThat(Samples.tree(samples.prefix)).containsOnlyKeys("a/x.zst", "x.zst", "empty.zst", "x.zst.zst");
    assertThat(fetched(3, entry).files()).containsExactlyInAnyOrderElementsOf(rank.files());
    copy(3).publish(rank.files());                        // repeated
    Samples.write(samples.prefix.resolve("x.zst"), new byte[40]);
    refused(Fault.NO_SUCH_FILE, () -> copy(3).publish(rank.files()), "dataset 3", "x", "copied again");
  }

  @Test
  void whatATakenPlaceHeldIsFetchedUntilTheOtherDatasetIsComplete() {
    RankFiles old = samples.cached(1, 0, "a/x");
    RankEntry oldEntry = published(1, old);
    complete(Samples.descriptor(1, "same"), oldEntry, old);
    RankFiles young = samples.cached(2, 0, "a/x");
    RankEntry youngEntry = published(2, young);
    assertThat(fetched(1, oldEntry)).isEqualTo(old);
    assertThat(fetched(2, youngEntry)).isEqualTo(young);
    complete(Samples.descriptor(2, "same"), youngEntry, young);
    refused(Fault.CORRUPT, () -> fetched(1, oldEntry), "dataset 1", "a/x");
  }

  @Test
  void draftsThatAreDiscardedLeaveNothing() {
    RankFiles rank = samples.cached(3, 0, "a/x");
    FlushCopy copy = copy(3);
    rank.files().forEach(copy::copy);
    assertThat(Samples.tree(samples.prefix)).hasSize(1);
    copy.discard(rank.files());
    assertThat(Samples.tree(samples.prefix)).isEmpty();
  }

  @Test
  void aDatasetThatIsRemovedTakesItsFilesAndNoOthers() {
    RankFiles rank = samples.cached(3, 0, "a/x", "y");
    RankEntry entry = published(3, rank);
    RankFiles plain = samples.cached(4, 0, "a/x", "z");
    samples.flush(Samples.descriptor(4, "plain"), List.of(plain));
    complete(Samples.descriptor(3, "b"), entry, rank);
    new Withdrawal(samples.paths, samples.index).drop("b");
    assertThat(new DatasetRemoval(samples.paths, samples.index).remove(new DatasetKey(3, 3000))).isEqualTo(2);
    assertThat(samples.prefix.resolve("a/x.zst")).doesNotExist();
    assertThat(samples.prefix.resolve("y.zst")).doesNotExist();
    assertThat(samples.prefix.resolve("a/x")).isRegularFile();
    assertThat(samples.prefix.resolve("z")).isRegularFile();
  }

  @Test
  void aPlainFileAtTheNameOfACompressedOneIsNotTakenForIt() throws Exception {
    RankFiles rank = samples.cached(3, 0, "x");
    RankEntry entry = published(3, rank);
    FileMeta file = rank.files().getFirst();
    Files.copy(samples.cacheOf(3).resolve(file.name()), samples.prefix.resolve("x"));
    Files.delete(samples.prefix.resolve("x.zst"));
    refused(Fault.CORRUPT, () -> fetched(3, entry), "x.zst");
    refused(Fault.BAD_REQUEST, () -> new DirectFiles(samples.paths, 3).check(entry), "compressed");
  }
}
