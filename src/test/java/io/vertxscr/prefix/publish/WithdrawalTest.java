package io.vertxscr.prefix.publish;

import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a dataset leaves the index alone, or with all its own files; no other dataset loses anything. */
class WithdrawalTest {
  @TempDir
  Path temp;
  Samples samples;
  Withdrawal withdrawal;

  @BeforeEach
  void twoDatasets() {
    samples = new Samples(temp);
    withdrawal = new Withdrawal(samples.paths, samples.index);
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "a/x"), samples.cached(1, 1, "a/y")));
    samples.flush(descriptor(2, "b"), List.of(samples.cached(2, 0, "b/x"), samples.cached(2, 1, "b/y")));
  }

  private List<String> names() {
    return samples.index.read().index().entries().stream().map(Index.Entry::name).toList();
  }

  @Test
  void droppedIsOutOfTheIndexOnly() {
    var before = Samples.tree(samples.prefix);
    assertThat(withdrawal.drop("b")).hasValue(2);
    assertThat(names()).containsExactly("a");
    assertThat(samples.index.read().index().current()).as("it was current").isEmpty();
    var after = Samples.tree(samples.prefix);
    before.remove(".scr/index.scr");
    assertThat(after).containsAllEntriesOf(before);
    assertThat(withdrawal.drop("b")).isEmpty();
    assertThat(withdrawal.delete("b")).as("dropped before").containsExactly(2);
    assertThat(samples.prefix.resolve("b/x")).doesNotExist();
  }

  @Test
  void deletedTakesItsFilesMapAndSummaryAlong() {
    assertThat(withdrawal.delete("a")).containsExactly(1);
    assertThat(Samples.tree(samples.prefix)).containsOnlyKeys("b/x", "b/y", ".scr/index.scr", ".scr/index.lock",
        ".scr/leader.lock", ".scr/scr.dataset.2/summary.scr", ".scr/scr.dataset.2/rank2file",
        ".scr/scr.dataset.2/rank2file.0.0", ".scr/scr.dataset.2/rank2file.0.1");
    assertThat(samples.prefix.resolve("b/y")).hasBinaryContent(bytes(2, 1, "b/y"));
    assertThat(withdrawal.delete("a")).isEmpty();
    assertThat(names()).containsExactly("b");
  }

  @Test
  void aDeletionThatWasCutOffIsFinishedByTheNextCall() throws IOException {
    withdrawal.drop("a");
    Files.delete(samples.prefix.resolve("a/x"));
    assertThat(withdrawal.delete("a")).containsExactly(1);
    assertThat(samples.prefix.resolve("a")).as("empty since the call that was cut off").doesNotExist();
    assertThat(samples.paths.dataset(1)).doesNotExist();
  }

  @Test
  void aFileThatTookTheOneOfADroppedDatasetGoes() {
    withdrawal.drop("a");
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "a/x"), samples.cached(3, 1, "c/y")));
    assertThat(withdrawal.delete("c")).containsExactly(3);
    assertThat(samples.prefix.resolve("a/x")).doesNotExist();
    assertThat(samples.prefix.resolve("a/y")).hasBinaryContent(bytes(1, 1, "a/y"));
  }

  @Test
  void aFileThatALaterDroppedDatasetHasTakenStays() {
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "a/x"), samples.cached(3, 1, "c/y")));
    withdrawal.drop("c");
    assertThat(withdrawal.delete("a")).containsExactly(1);
    assertThat(samples.prefix.resolve("a/x")).hasBinaryContent(bytes(3, 0, "a/x"));
    assertThat(samples.prefix.resolve("a/y")).doesNotExist();
  }

  @Test
  void whatWasFlushedAgainTakesItsFilesBackFromALaterDroppedDataset() {
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "a/x"), samples.cached(3, 1, "c/y")));
    withdrawal.drop("c");
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "a/x"), samples.cached(1, 1, "a/y")));
    assertThat(samples.prefix.resolve("a/x")).hasBinaryContent(bytes(1, 0, "a/x"));
    assertThat(withdrawal.delete("a")).containsExactly(1);
    assertThat(samples.prefix.resolve("a")).doesNotExist();
    assertThat(samples.prefix.resolve("c/y")).as("of the dropped one alone").hasBinaryContent(bytes(3, 1, "c/y"));
  }

  /** All steps of a flush up to its map; its leader dies before the summary. */
  private void flushWithoutSummary(DatasetDescriptor descriptor, RankFiles rank) {
    List<Runnable> steps = samples.flushSteps(descriptor, List.of(rank));
    steps.subList(0, steps.size() - 4).forEach(Runnable::run);
    assertThat(samples.paths.rankMap(descriptor.id())).exists();
    assertThat(samples.paths.summary(descriptor.id())).doesNotExist();
  }

  /** Waits until what changes from now on has a later change time. */
  private void tick() throws IOException {
    Path probe = temp.resolve("probe");
    FileTime before = (FileTime) Files.getAttribute(Files.writeString(probe, ""), "unix:ctime");
    do {
      Files.writeString(probe, "x");
    } while (((FileTime) Files.getAttribute(probe, "unix:ctime")).compareTo(before) <= 0);
  }

  @Test
  void whatWasFlushedAgainSinceStaysWholeWhereALaterDatasetGoesThatHadItsFiles() throws IOException {
    withdrawal.drop("a");
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "a/x"), samples.cached(3, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "a/x"), samples.cached(1, 1, "a/y")));
    withdrawal.drop("a");
    assertThat(withdrawal.delete("c")).containsExactly(3);
    assertThat(samples.prefix.resolve("a/x")).hasBinaryContent(bytes(1, 0, "a/x"));
    assertThat(samples.publication.isComplete(1)).isTrue();
  }

  @Test
  void aFileThatWasWrittenOverAnUnfinishedDatasetGoes() throws IOException {
    flushWithoutSummary(descriptor(3, "c"), samples.cached(3, 0, "c/x", "c/old"));
    tick();
    samples.flush(descriptor(4, "c"), List.of(samples.cached(4, 0, "c/x"), samples.cached(4, 1, "c/y")));
    assertThat(withdrawal.delete("c")).containsExactly(4);
    assertThat(Samples.tree(samples.prefix.resolve("c"))).as("of the unfinished one alone").containsOnlyKeys("old");
  }

  @Test
  void aFileOfAnOlderUnfinishedDatasetStaysAlsoBehindAChangedSummary() throws IOException {
    samples.flush(descriptor(4, "c"), List.of(samples.cached(4, 0, "c/x"), samples.cached(4, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    flushWithoutSummary(descriptor(3, "d"), samples.cached(3, 0, "c/x"));
    tick();
    samples.publication.markOverwritten(descriptor(3, "d"));   // the older one is about to be sealed
    assertThat(withdrawal.delete("c")).containsExactly(4);
    assertThat(samples.prefix.resolve("c/x")).hasBinaryContent(bytes(3, 0, "c/x"));
    assertThat(samples.prefix.resolve("c/y")).doesNotExist();
  }

  @Test
  void aFileOfAnOlderDatasetThatIsFlushedOnceMoreStays() throws IOException {
    flushWithoutSummary(descriptor(3, "d"), samples.cached(3, 0, "c/x"));
    tick();
    samples.flush(descriptor(4, "c"), List.of(samples.cached(4, 0, "c/x"), samples.cached(4, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    samples.flushSteps(descriptor(3, "d"), List.of(samples.cached(3, 0, "c/x"))).stream().limit(3)
        .forEach(Runnable::run);                          // its map is still that of the attempt before
    assertThat(withdrawal.delete("c")).containsExactly(4);
    assertThat(samples.prefix.resolve("c/x")).hasBinaryContent(bytes(3, 0, "c/x"));
    assertThat(samples.prefix.resolve("c/y")).doesNotExist();
  }

  /** One deletes the later one while the other has the lock. It reads what there is behind so many of its steps. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void aFileOfAnOlderDatasetThatIsListedAgainMeanwhileStays(int behind) throws Exception {
    samples.flush(descriptor(3, "d"), List.of(samples.cached(3, 0, "c/x")));
    tick();
    samples.flush(descriptor(4, "c"), List.of(samples.cached(4, 0, "c/x"), samples.cached(4, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    RankFiles rank = samples.cached(3, 0, "c/x");
    DatasetDescriptor older = Samples.withTotals(descriptor(3, "d"), List.of(rank));
    samples.flushSteps(older, List.of(rank)).stream().limit(4).forEach(Runnable::run);
    tick();
    CountDownLatch refused = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    LockUser operator = new LockUser("scr", LocalFiles.ofThisMachine(), Clock.systemUTC(), (_, _) -> {
      refused.countDown();
      await(released);
    });
    Withdrawal other = new Withdrawal(samples.paths, new PrefixIndex(samples.paths, operator));
    FutureTask<List<Integer>> deletion = new FutureTask<>(() -> other.delete("c"));
    samples.index.exclusively(held -> {
      Publication publication = new Publication(samples.paths, held);
      List<Runnable> steps = List.of(() -> new RankMapWriter(samples.paths, 3, 1, 1).writeRoot(),
          () -> publication.markOverwritten(older), () -> publication.seal(older),
          () -> held.update(before -> before.enlistWritten(older, Samples.TIME)));
      steps.subList(0, behind).forEach(Runnable::run);
      Thread.ofVirtual().start(deletion);
      await(refused);
      steps.subList(behind, steps.size()).forEach(Runnable::run);
      return held;
    });
    released.countDown();
    assertThat(deletion.get()).containsExactly(4);
    assertThat(samples.index.read().index().find(3).orElseThrow().restartable()).isTrue();
    assertThat(samples.prefix.resolve("c/x")).hasBinaryContent(bytes(3, 0, "c/x"));
    assertThat(samples.prefix.resolve("c/y")).doesNotExist();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** As a command does it: it takes the lock once more to list what it has sealed. */
  @Test
  void aFileOfAnOlderDatasetThatIsSealedAndNotListedYetStays() throws IOException {
    samples.flush(descriptor(4, "c"), List.of(samples.cached(4, 0, "c/x"), samples.cached(4, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    flushWithoutSummary(descriptor(3, "d"), samples.cached(3, 0, "c/x"));
    tick();
    DatasetDescriptor older = Samples.withTotals(descriptor(3, "d"), List.of(samples.cached(3, 0, "c/x")));
    samples.publication.markOverwritten(older);
    samples.publication.seal(older);
    assertThat(withdrawal.delete("c")).containsExactly(4);
    assertThat(samples.prefix.resolve("c/x")).hasBinaryContent(bytes(3, 0, "c/x"));
    assertThat(samples.prefix.resolve("c/y")).doesNotExist();
  }

  @Test
  void aFileThatIsBeingPublishedStaysAlsoBehindASummaryChangedByAnotherOne() throws IOException {
    samples.flush(descriptor(5, "c"), List.of(samples.cached(5, 0, "c/x", "c/z"), samples.cached(5, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    samples.flushSteps(descriptor(4, "e"), List.of(samples.cached(4, 0, "c/z"))).stream().limit(3)
        .forEach(Runnable::run);                          // it has no map yet
    flushWithoutSummary(descriptor(3, "d"), samples.cached(3, 0, "c/x"));
    tick();
    samples.publication.markOverwritten(descriptor(3, "d"));
    assertThat(withdrawal.delete("c")).containsExactly(5);
    assertThat(samples.prefix.resolve("c/z")).hasBinaryContent(bytes(4, 0, "c/z"));
    assertThat(samples.prefix.resolve("c/y")).doesNotExist();
  }

  @Test
  void whatTookItsFilesBackFromALaterDatasetThatSaysSoGoesWithThem() throws IOException {
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "a/x"), samples.cached(3, 1, "c/y")));
    withdrawal.drop("c");
    tick();
    List<RankFiles> ranks = List.of(samples.cached(1, 0, "a/x"), samples.cached(1, 1, "a/y"));
    List<Runnable> steps = samples.flushSteps(descriptor(1, "a"), ranks);
    steps.subList(0, steps.size() - 4).forEach(Runnable::run);
    tick();
    samples.publication.markOverwritten(descriptor(1, "a"));
    steps.subList(steps.size() - 4, steps.size()).forEach(Runnable::run);
    assertThat(withdrawal.delete("a")).containsExactly(1);
    assertThat(samples.prefix.resolve("a")).doesNotExist();
    assertThat(samples.prefix.resolve("c/y")).as("of the dropped one alone").hasBinaryContent(bytes(3, 1, "c/y"));
  }

  @Test
  void withADamagedSummaryNoFileIsDeletedAndItIsSaid() throws IOException {
    Files.writeString(samples.paths.summary(2), "torn");
    refused(Fault.CORRUPT, () -> withdrawal.delete("b"), "summary.scr");
    assertThat(names()).containsExactly("a");
    assertThat(samples.prefix.resolve("b/x")).exists();
  }

  @Test
  void withADamagedMapNothingIsDeletedAndItIsSaid() throws IOException {
    Files.writeString(samples.paths.rankMap(2), "torn");
    refused(Fault.CORRUPT, () -> withdrawal.delete("b"), "rank2file");
    assertThat(names()).containsExactly("a");
    assertThat(samples.prefix.resolve("b/x")).exists();
    refused(Fault.CORRUPT, () -> withdrawal.delete("a"), "rank2file");
    assertThat(samples.prefix.resolve("a/x")).exists();
  }
}
