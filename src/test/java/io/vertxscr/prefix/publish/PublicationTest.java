package io.vertxscr.prefix.publish;

import static io.vertxscr.prefix.metadata.Samples.TIME;
import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static io.vertxscr.prefix.metadata.Samples.withTotals;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.OwnDrafts;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.metadata.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: at every moment a reader finds a whole dataset or none, never a wrong one. Method: the flush is cut after every
 * one of its steps, a reader looks, and the flush is begun again from its first step.
 */
@Execution(ExecutionMode.CONCURRENT)
class PublicationTest {
  @TempDir
  Path temp;
  Samples samples;
  int fetches;

  @BeforeEach
  void makeSamples() {
    makeSamples(temp);
  }

  private void makeSamples(Path directory) {
    samples = new Samples(directory);
  }

  /** Restarts: returns the best dataset of the index that can be fetched whole. */
  private Optional<Integer> restart(int ranks) {
    for (Index.Entry candidate : samples.index.read().index().candidates()) {
      if (samples.publication.isComplete(candidate.id()) && fetchesWhole(candidate.id(), ranks)) {
        return Optional.of(candidate.id());
      }
    }
    return Optional.empty();
  }

  private boolean fetchesWhole(int id, int ranks) {
    Path fetched = temp.resolve("fetch" + fetches++);
    FetchCopy fetch = new FetchCopy(samples.paths, id, fetched);
    try {
      RankMapReader map = new RankMapReader(samples.paths, id);
      assertThat(map.ranks()).isEqualTo(ranks);
      map.forEach(entry -> {
        RankFiles files = Samples.fetched(fetch, entry);
        files.files().forEach(file -> assertThat(fetched.resolve(file.name()))
            .hasBinaryContent(bytes(id, entry.rank(), file.path())));
      });
      return true;
    } catch (ScrException e) {
      assertThat(e.fault()).isEqualTo(Fault.CORRUPT);
      return false;
    }
  }

  @Test
  void aFlushCutAfterAnyStepShowsTheOldOrTheNewAndCanBeBegunAgain() throws IOException {
    int steps = samples.flushSteps(descriptor(2, "new"),
        List.of(samples.cached(2, 0, "n/x", "n/y"), samples.cached(2, 1, "n/z"))).size();
    for (int done = 0; done <= steps; done++) {
      samples = new Samples(Files.createDirectory(temp.resolve("cut" + done)));
      samples.flush(descriptor(1, "old"), List.of(samples.cached(1, 0, "o/x"), samples.cached(1, 1, "o/y")));
      List<RankFiles> ranks = List.of(samples.cached(2, 0, "n/x", "n/y"), samples.cached(2, 1, "n/z"));
      List<Runnable> flush = samples.flushSteps(descriptor(2, "new"), ranks);
      flush.subList(0, done).forEach(Runnable::run);

      boolean enlisted = done >= steps - 2;
      assertThat(restart(2)).as("after %d steps", done).hasValue(enlisted ? 2 : 1);
      assertThat(samples.publication.isComplete(2)).as("after %d steps", done).isEqualTo(done >= steps - 3);

      // the index is torn at the same time: only what has a summary comes back
      byte[] index = Samples.read(samples.paths.index());
      Files.write(samples.paths.index(), new byte[10]);
      assertThat(restart(2)).as("after %d steps, torn", done).hasValue(done >= steps - 3 ? 2 : 1);
      Files.write(samples.paths.index(), index);

      flushAgain(descriptor(2, "new"), ranks);
      assertThat(restart(2)).as("repeated after %d steps", done).hasValue(2);
      assertThat(Samples.tree(samples.prefix)).as("nothing is left of %d steps", done).containsOnlyKeys(
          "n/x", "n/y", "n/z", "o/x", "o/y", ".scr/index.scr", ".scr/index.lock",
          ".scr/scr.dataset.1/summary.scr", ".scr/scr.dataset.1/rank2file",
          ".scr/scr.dataset.1/rank2file.0.0", ".scr/scr.dataset.1/rank2file.0.1",
          ".scr/scr.dataset.2/summary.scr", ".scr/scr.dataset.2/rank2file",
          ".scr/scr.dataset.2/rank2file.0.0", ".scr/scr.dataset.2/rank2file.0.1");
    }
  }

  /** Repeats a flush as a new leader of a WANTED dataset does: a complete one is not copied again. */
  private void flushAgain(DatasetDescriptor bare, List<RankFiles> ranks) {
    DatasetDescriptor descriptor = withTotals(bare, ranks);
    if (samples.publication.prepare(descriptor)) {
      samples.publication.enlist(descriptor, TIME);
      samples.publication.removeReplaced(descriptor);
      FlushCopy copy = new FlushCopy(
          samples.paths, Samples.owner(descriptor.id()), samples.cacheOf(descriptor.id()), new OwnDrafts());
      ranks.forEach(rank -> copy.removeKept(rank.files()));
    } else {
      samples.flush(bare, ranks);
    }
  }

  /** Elsewhere a name that is used again overwrites the dataset in place, and leaves stale files behind. */
  @Test
  void aReusedNameReplacesTheOldDatasetAtomicallyAtEveryInterruption() throws IOException {
    int steps = samples.flushSteps(descriptor(2, "same"), List.of(samples.cached(2, 0, "d/a", "d/b"))).size();
    for (int done = 0; done <= steps; done++) {
      samples = new Samples(Files.createDirectory(temp.resolve("cut" + done)));
      samples.flush(descriptor(1, "same"), List.of(samples.cached(1, 0, "d/a", "d/left", "d/empty")));
      List<RankFiles> ranks = List.of(samples.cached(2, 0, "d/a", "d/b"));
      samples.flushSteps(descriptor(2, "same"), ranks).subList(0, done).forEach(Runnable::run);
      // never a mixture: restart compares every byte with what that dataset wrote
      Optional<Integer> found = restart(1);
      assertThat(found).as("the old one or the new one after %d steps", done).isPresent();
      if (done <= 3) {
        assertThat(found).as("only drafts after %d steps", done).hasValue(1);
      }
      flushAgain(descriptor(2, "same"), ranks);
      assertThat(restart(1)).hasValue(2);
      assertThat(Samples.tree(samples.prefix)).as("after %d steps", done).containsOnlyKeys(
          "d/a", "d/b", ".scr/index.scr", ".scr/index.lock", ".scr/leader.lock",
          ".scr/scr.dataset.2/summary.scr", ".scr/scr.dataset.2/rank2file", ".scr/scr.dataset.2/rank2file.0.0");
      assertThat(samples.index.read().index().entries()).extracting(Index.Entry::id).containsExactly(2);
    }
  }

  /** Method: the second of two datasets with the same files is interrupted after each of its steps. */
  @Test
  void constantFileNamesReplaceTheOlderDatasetWhenTheNewerIsListed() throws IOException {
    int steps = samples.flushSteps(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "d/a", "d/b"))).size();
    for (int done = 0; done <= steps; done++) {
      makeSamples(temp.resolve("cut" + done));
      samples.flush(descriptor(1, "ckpt.1"), List.of(samples.cached(1, 0, "d/a", "d/b")));
      List<RankFiles> ranks = List.of(samples.cached(2, 0, "d/a", "d/b"));
      samples.flushSteps(descriptor(2, "ckpt.2"), ranks).subList(0, done).forEach(Runnable::run);
      boolean listed = samples.index.read().index().find(2).isPresent();
      assertThat(restart(1)).as("after %d steps", done).hasValue(listed ? 2 : 1);
      assertThat(replacedBy(1)).isEqualTo(listed ? OptionalInt.of(2) : OptionalInt.empty());
      flushAgain(descriptor(2, "ckpt.2"), ranks);
      assertThat(samples.index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(2);
      assertThat(replacedBy(1)).hasValue(2);
      assertThat(Samples.tree(samples.prefix.resolve("d"))).containsOnlyKeys("a", "b");
    }
  }

  private OptionalInt replacedBy(int id) {
    return samples.index.read().index().find(id).orElseThrow().replacedBy();
  }

  /** As other writers leave them: without checksums only the kept file identifies the owner of bytes. */
  @Test
  void ofFilesWithoutChecksumsTooTheOlderDatasetIsReadWhileTheNewerOneIsHalfThere() throws IOException {
    List<RankFiles> old = List.of(samples.cached(1, 0, "d/a", "d/b"));
    samples.flush(descriptor(1, "ckpt.1"), old);
    Files.write(samples.paths.rankMap(1).resolveSibling("rank2file.0.0"), RankFileMapFile.encode(new RankFileMap.Leaf(1,
        List.of(new RankFileMap.RankEntry(0, old.getFirst().files().stream().map(file -> new RankFileMap.FlushedFile(
            file.path(), OptionalLong.of(file.bytes()), OptionalInt.empty(), List.of())).toList())))));
    List<RankFiles> ranks = List.of(samples.cached(2, 0, "d/a", "d/b"));
    for (Runnable step : samples.flushSteps(descriptor(2, "ckpt.2"), ranks)) {
      step.run();
      boolean listed = samples.index.read().index().find(2).isPresent();
      assertThat(restart(1)).hasValue(listed ? 2 : 1);
    }
  }

  @Test
  void whoeverIsRemovedOfSeveralWithTheSameFilesTheNewestKeepsItsOwnAndTakesThemWithIt() throws IOException {
    samples.flush(descriptor(1, "ckpt.1"), List.of(samples.cached(1, 0, "d/a", "e/only")));
    samples.flush(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "d/a")));
    samples.flush(descriptor(3, "ckpt.3"), List.of(samples.cached(3, 0, "d/a")));
    samples.flush(descriptor(4, "other"), List.of(samples.cached(4, 0, "f/b")));
    samples.flush(descriptor(5, "ckpt.5"), List.of(samples.cached(5, 0, "d/a")));
    Withdrawal withdrawal = new Withdrawal(samples.paths, samples.index);
    assertThat(withdrawal.delete("ckpt.1")).containsExactly(1);
    assertThat(samples.prefix.resolve("e")).as("what is empty goes").doesNotExist();
    assertThat(fetchesWhole(5, 1)).isTrue();
    assertThat(withdrawal.delete("ckpt.5")).containsExactly(5);
    assertThat(samples.prefix.resolve("d")).as("no replaced one has a claim").doesNotExist();
    assertThat(replacedBy(2)).hasValue(3);
    withdrawal.delete("ckpt.2");
    withdrawal.delete("ckpt.3");
    assertThat(restart(1)).hasValue(4);
    assertThat(withdrawal.delete("other")).containsExactly(4);
    assertThat(samples.prefix).isDirectoryContaining(path -> path.endsWith(".scr"));
    assertThat(Samples.tree(samples.prefix)).containsOnlyKeys(
        ".scr/index.scr", ".scr/index.lock", ".scr/leader.lock");
  }

  @Test
  void anIndexThatIsMadeAgainStillSaysWhatWasReplaced() throws IOException {
    samples.flush(descriptor(1, "ckpt.1"), List.of(samples.cached(1, 0, "a", "b")));
    samples.flush(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "b")));
    samples.flush(descriptor(3, "ckpt.3"), List.of(samples.cached(3, 0, "c")));
    samples.flush(descriptor(4, "ckpt.4"), List.of(samples.cached(4, 0, "b")));
    Files.delete(samples.paths.index());
    Index made = samples.index.readOrMake().index();
    assertThat(made.candidates()).extracting(Index.Entry::id).containsExactly(4, 3);
    assertThat(replacedBy(1)).hasValue(2);
    assertThat(replacedBy(2)).hasValue(4);
  }

  /** Its own summary says that it is there. */
  @Test
  void whatWasDroppedIsNotWholeAnyMoreWhereItsFilesWentWithALaterDataset() {
    RankFiles rank = samples.cached(1, 0, "d/a", "d/b");
    DatasetDescriptor dropped = Samples.withTotals(descriptor(1, "ckpt.1"), List.of(rank));
    samples.flush(descriptor(1, "ckpt.1"), List.of(rank));
    Withdrawal withdrawal = new Withdrawal(samples.paths, samples.index);
    withdrawal.drop("ckpt.1");
    assertThat(samples.publication.prepare(dropped)).as("all files are there").isTrue();
    samples.flush(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "d/a")));
    assertThat(withdrawal.delete("ckpt.2")).containsExactly(2);
    assertThat(samples.publication.prepare(dropped)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anIndexThatIsMadeAgainListsNothingAsFlushedWhoseFilesWentWithALaterDataset(boolean dropped) throws IOException {
    samples.flush(descriptor(1, "ckpt.1"), List.of(samples.cached(1, 0, "d/a", "d/b")));
    Withdrawal withdrawal = new Withdrawal(samples.paths, samples.index);
    if (dropped) {
      withdrawal.drop("ckpt.1");
    }
    samples.flush(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "d/a")));
    assertThat(withdrawal.delete("ckpt.2")).containsExactly(2);
    Files.delete(samples.paths.index());
    Index made = samples.index.readOrMake().index();
    assertThat(made.candidates()).isEmpty();
    assertThat(made.find(1).orElseThrow().flushed()).isEmpty();
    samples.flush(descriptor(1, "ckpt.1"), List.of(samples.cached(1, 0, "d/a", "d/b")));
    assertThat(samples.index.read().index().current()).hasValue("ckpt.1");
  }

  /** Nor does an index that is made again list it. */
  @Test
  void whatWasDroppedIsNotWholeAnyMoreWhereAnOlderDatasetHasTakenItsFiles() throws IOException {
    samples.flush(descriptor(2, "ckpt.2"), List.of(samples.cached(2, 0, "d/a", "d/b")));
    samples.index.update(index -> index.drop(2));
    List<RankFiles> ranks = List.of(samples.cached(1, 0, "d/a", "d/b"));
    DatasetDescriptor older = withTotals(descriptor(1, "ckpt.1"), ranks);
    List<Runnable> steps = samples.flushSteps(older, ranks);
    steps.subList(0, steps.size() - 5).forEach(Runnable::run);
    assertThat(samples.publication.isComplete(2)).as("its files are kept until then").isTrue();
    samples.publication.publish(older, new Publication.Mapping(older.totals(), OptionalLong.empty()),
        new RankMapWriter(samples.paths, 1, 1, 1), TIME, true);

    assertThat(samples.publication.isComplete(2)).isFalse();
    Files.delete(samples.paths.index());
    assertThat(samples.index.readOrMake().index().candidates()).extracting(Index.Entry::id).containsExactly(1);
    assertThat(restart(1)).hasValue(1);
  }

  @Test
  void aReplacedDatasetTakesNoFileOfAnotherOneWithIt() throws IOException {
    samples.flush(descriptor(1, "same"), List.of(samples.cached(1, 0, "shared", "other", "changed", "left", "later")));
    samples.flush(descriptor(2, "second"), List.of(samples.cached(2, 0, "shared")));
    Files.writeString(samples.prefix.resolve("changed"), "another length");
    Files.delete(samples.prefix.resolve("other"));
    Files.createSymbolicLink(samples.prefix.resolve("other"), samples.prefix.resolve("shared"));
    FileTime old = FileTime.fromMillis(1);
    Files.setLastModifiedTime(samples.paths.summary(1), old);  // only the other's map speaks for what is shared
    FileTime sealed = changed(samples.paths.summary(1));
    while (changed(samples.prefix.resolve("later")).compareTo(sealed) <= 0) {
      Files.setLastModifiedTime(samples.prefix.resolve("later"), old);   // until the file system's clock goes on
    }
    Files.setLastModifiedTime(samples.prefix.resolve("later"), old);
    samples.flush(descriptor(3, "same"), List.of(samples.cached(3, 0, "mine")));
    assertThat(samples.prefix.resolve("left")).doesNotExist();
    assertThat(samples.prefix.resolve("shared")).hasBinaryContent(bytes(2, 0, "shared"));
    assertThat(samples.prefix.resolve("changed")).exists();
    assertThat(samples.prefix.resolve("later")).exists();
    assertThat(samples.prefix.resolve("other")).isSymbolicLink();
    assertThat(samples.paths.dataset(1)).doesNotExist();
  }

  @Test
  void aNodeThatDoesNotSeeWhatTheLeaderHasMadeWritesNothing() {
    refused(Fault.IO, () -> Publication.requirePrepared(samples.paths, 1), "scr.dataset.1", "mounted?");
    assertThat(samples.publication.hasAny()).isFalse();
    samples.publication.prepare(descriptor(1, "b.1"));
    Publication.requirePrepared(samples.paths, 1);
    assertThat(samples.publication.hasAny()).isTrue();
  }

  private static FileTime changed(Path file) throws IOException {
    return (FileTime) Files.getAttribute(file, "unix:ctime");
  }

  @Test
  void aFileIsRemovedWithItsDatasetForAnyModificationTime() throws IOException {
    RankFiles rank = samples.cached(1, 0, "left");
    Files.setLastModifiedTime(samples.cacheOf(1).resolve(rank.files().getFirst().name()),
        FileTime.from(Instant.now().plusSeconds(86_400)));
    samples.flush(descriptor(1, "same"), List.of(rank));
    samples.flush(descriptor(2, "same"), List.of(samples.cached(2, 0, "mine")));
    assertThat(samples.prefix.resolve("left")).doesNotExist();
  }

  @Test
  void nothingIsRemovedWhileTheMapOfAnyOtherDatasetIsDamaged() throws IOException {
    samples.flush(descriptor(1, "same"), List.of(samples.cached(1, 0, "left")));
    samples.flush(descriptor(2, "second"), List.of(samples.cached(2, 0, "x")));
    Files.writeString(samples.paths.rankMap(2), "torn");
    samples.flush(descriptor(3, "same"), List.of(samples.cached(3, 0, "mine")));
    assertThat(samples.prefix.resolve("left")).exists();
    assertThat(samples.publication.removeReplaced(descriptor(3, "same")))
        .singleElement().asString().contains("dataset 1", "is left as it is", "rank2file");
  }

  @Test
  void anIdConflictIsRefusedWhileTheOtherDatasetIsListed() {
    samples.flush(descriptor(1, "theirs"), List.of(samples.cached(1, 0, "x"), samples.cached(1, 1, "y")));
    DatasetDescriptor ours = withTotals(new DatasetDescriptor(1, "ours", DatasetFlags.CHECKPOINT, 1, 77,
        descriptor(1, "x").job(), Totals.NONE), List.of(samples.cached(1, 0, "x")));
    refused(Fault.IO, () -> samples.publication.prepare(ours), "\"ours\"", "\"theirs\"", "scr index --drop theirs");
    assertThat(restart(2)).contains(1);
    samples.index.update(index -> index.drop(1));
    assertThat(samples.publication.prepare(ours)).isFalse();
    assertThat(samples.publication.isComplete(1)).isFalse();
    assertThat(samples.paths.dataset(1)).isEmptyDirectory();
  }

  @Test
  void aMapThatDoesNotHaveAllFilesIsNotSealed() {
    RankFiles rank = samples.cached(1, 0, "x", "y");
    DatasetDescriptor descriptor = withTotals(descriptor(1, "a"), List.of(rank));
    RankMapWriter map = new RankMapWriter(samples.paths, 1, 1, 1);
    refused(Fault.CORRUPT, () -> samples.publication.seal(descriptor), "dataset 1", "rank2file");
    map.writePart(0, List.of(new RankFiles(0, rank.files().subList(0, 1))));
    map.writeRoot();
    refused(Fault.CORRUPT, () -> samples.publication.seal(descriptor), "2 files", "has 1");
    assertThat(samples.publication.isComplete(1)).isFalse();
    map.writePart(0, List.of(rank));
    samples.publication.seal(descriptor);
    assertThat(samples.publication.isComplete(1)).isTrue();
  }

  @Test
  void everyFlippedBitOfASummaryMeansNotComplete() {
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "x")));
    Samples.forEveryBitFlip(samples.paths.summary(1), () -> {
      assertThat(samples.publication.isComplete(1)).isFalse();
      refused(Fault.CORRUPT, () -> samples.publication.summary(1), "summary.scr");
    });
    assertThat(samples.publication.isComplete(1)).isTrue();
  }

  @Test
  void currentFollowsTheNewestCheckpointAndNeverGoesBackByItself() {
    RankFiles[] ranks = new RankFiles[6];
    for (int id = 1; id <= 5; id++) {
      ranks[id] = samples.cached(id, 0, "f" + id);
    }
    samples.flush(descriptor(2, "two"), List.of(ranks[2]));
    samples.flush(descriptor(1, "one"), List.of(ranks[1]));
    assertThat(samples.index.read().index().current()).hasValue("two");
    DatasetDescriptor output = new DatasetDescriptor(
        3, "out", DatasetFlags.OUTPUT, 0, 3000, descriptor(3, "x").job(), Totals.NONE);
    samples.flush(output, List.of(ranks[3]));
    assertThat(samples.index.read().index().current()).hasValue("two");
    assertThat(samples.index.read().index().find("out")).isPresent();
    samples.index.update(index -> index.setCurrent("one"));
    samples.flush(descriptor(4, "four"), List.of(ranks[4]));
    assertThat(samples.index.read().index().current()).hasValue("four");
    samples.index.update(index -> index.setCurrent("one"));
    samples.publication.enlist(withTotals(descriptor(4, "four"), List.of(ranks[4])), TIME);
    assertThat(samples.index.read().index().current()).as("what somebody has said, though a crash repeats a step")
        .hasValue("one");
  }

  @Test
  void enlistingAgainKeepsWhatHappenedToTheDatasetSince() {
    List<RankFiles> ranks = List.of(samples.cached(1, 0, "x"));
    samples.flush(descriptor(1, "a"), ranks);
    samples.index.update(index -> index.markFailed(1, TIME));
    samples.publication.enlist(withTotals(descriptor(1, "a"), ranks), TIME.plusDays(1));
    assertThat(samples.index.read().index().find(1).orElseThrow().failed()).hasValue(TIME);
  }
}
