package io.vertxscr.prefix.metadata;

import static io.vertxscr.prefix.metadata.Samples.TIME;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.scavenge.PatientLocks;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: no update of the index is lost, and no damage to it loses a dataset. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class PrefixIndexTest {
  @TempDir
  Path temp;
  Samples samples;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
  }

  private void flush(int id, String name) {
    samples.flush(descriptor(id, name), List.of(samples.cached(id, 0, "out/" + id)));
  }

  @Test
  void aMissingIndexIsEmpty() {
    assertThat(samples.index.read()).isEqualTo(new PrefixIndex.Reading(Index.EMPTY, List.of()));
  }

  @Test
  void everyFlippedBitAndEveryTruncationLosesNoDataset() {
    flush(1, "a");
    flush(2, "b");
    Path file = samples.paths.index();
    Samples.forEveryBitFlip(file, this::findsBothAgain);
    Samples.forEveryTruncation(file, this::findsBothAgain);
  }

  private void findsBothAgain() {
    PrefixIndex.Reading reading = samples.index.read();
    assertThat(reading.remarks()).hasSize(2).first().asString().contains("index.scr");
    assertThat(reading.index().candidates()).extracting(Index.Entry::descriptor).extracting(d -> d.id() + d.name())
        .containsExactly("2b", "1a");
    assertThat(reading.index().current()).hasValue("b");
  }

  @Test
  void anUpdateRepairsADamagedIndexAndKeepsTheBadOne() throws IOException {
    flush(1, "a");
    for (int n = 1; n <= 2; n++) {
      Files.writeString(samples.paths.index(), "torn" + n);
      PrefixIndex.Reading reading = samples.index.update(index -> index.markFailed(1, TIME));
      assertThat(reading.remarks()).anyMatch(remark -> remark.contains("index.scr.bad-"));
      assertThat(samples.paths.scr().resolve("index.scr.bad-" + n)).hasContent("torn" + n);
      assertThat(samples.index.read()).isEqualTo(new PrefixIndex.Reading(reading.index(), List.of()));
      assertThat(reading.index().find(1).orElseThrow().failed()).hasValue(TIME);
    }
  }

  /** It may be deleted during a run, whose next flush must not hide what was there before. */
  @Test
  void anIndexThatWasDeletedHasAllDatasetsAgainWithTheNextFlush() throws IOException {
    flush(1, "a");
    flush(2, "b");
    Files.delete(samples.paths.index());
    flush(3, "c");
    assertThat(samples.index.read().remarks()).isEmpty();
    assertThat(samples.index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(3, 2, 1);
    assertThat(samples.index.read().index().current()).hasValue("c");
  }

  @Test
  void whoPublishesIntoAnIndexThatWasDeletedTellsWhatOnlyThatKnewAndNobodyTellsItOfTheFirstOne() throws IOException {
    var publication = new Publication(samples.paths, samples.index);
    flush(1, "a");
    Files.delete(samples.paths.index());
    assertThat(publication.enlist(descriptor(1, "a"), TIME).remarks()).isEmpty();
    flush(2, "b");
    Files.delete(samples.paths.index());
    assertThat(publication.enlist(descriptor(2, "b"), TIME).remarks()).singleElement().asString()
        .startsWith(samples.paths.index() + " is missing").contains("only the index knew which datasets were dropped");
  }

  @Test
  void whatHasNoGoodSummaryOrNoMapIsLeftOutAndNamed() throws IOException {
    for (int id = 1; id <= 5; id++) {
      flush(id, "name" + id);
    }
    Files.delete(samples.paths.summary(1));
    Files.writeString(samples.paths.summary(2), "torn");
    Files.delete(samples.paths.rankMap(3));
    Files.write(samples.paths.summary(4), Samples.read(samples.paths.summary(5)));
    Files.createDirectory(samples.paths.scr().resolve("scr.dataset.0x"));
    Files.writeString(samples.paths.index(), "torn");
    PrefixIndex.Reading reading = samples.index.read();
    assertThat(reading.index().entries()).extracting(Index.Entry::id).containsExactly(5);
    for (int id = 1; id <= 4; id++) {
      String named = "dataset " + id;
      assertThat(reading.remarks()).anyMatch(remark -> remark.contains(named));
    }
  }

  @Test
  void ofTwoSummariesWithOneNameTheLaterDatasetCountsWhateverItsId() throws IOException {
    flush(5, "same");
    DatasetDescriptor later = new DatasetDescriptor(
        2, "same", DatasetFlags.CHECKPOINT, 2, 9000, descriptor(2, "x").job(), Totals.NONE);
    List<Runnable> steps = samples.flushSteps(later, List.of(samples.cached(2, 0, "x")));
    steps.subList(0, steps.size() - 1).forEach(Runnable::run);
    Files.writeString(samples.paths.index(), "torn");
    assertThat(samples.index.read().index().entries()).extracting(Index.Entry::id).containsExactly(2);
    steps.getLast().run();
    assertThat(samples.paths.dataset(5)).doesNotExist();
  }

  @Test
  void anIndexThatCannotBeReadIsNotTakenForAnEmptyOne() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Samples there = new Samples(disk.directory("/there"));
      there.index.update(index -> index);
      disk.trouble((_, what) -> {
        if (what.equals("read " + there.paths.index())) {
          throw new IOException("Input/output error");
        }
      });
      refused(Fault.IO, there.index::read, "index.scr", "Input/output error");
      refused(Fault.IO, () -> there.index.update(index -> index), "index.scr");
    }
  }

  @Test
  void updatesOfManyThreadsThroughDifferentNamesOfThePrefixAllCount() throws Exception {
    Path alias = Files.createSymbolicLink(temp.resolve("alias"), samples.prefix);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int first = t * 10 + 1;
      PrefixPaths paths = new PrefixPaths(t % 2 == 0 ? samples.prefix : alias);
      PrefixIndex index = new PrefixIndex(paths, PatientLocks.user("n" + t, Duration.ofSeconds(30)));
      threads.add(Thread.ofPlatform().start(() -> {
        for (int id = first; id < first + 10; id++) {
          Index.Entry entry = Index.Entry.flushed(descriptor(id, "d" + id), true, TIME);
          index.update(before -> before.put(entry));
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(samples.index.read().index().entries()).hasSize(40);
  }

  @Test
  void whoWaitsInVainIsToldAndNothingChanges() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    PrefixLock lock = new PrefixLock(samples.paths, PatientLocks.user("n1", Duration.ofSeconds(20)));
    Thread holder = Thread.ofPlatform().start(() -> lock.with(() -> {
      held.countDown();
      return await(tried);
    }));
    held.await();
    PrefixIndex hasty = new PrefixIndex(samples.paths, PatientLocks.user("n2", Duration.ofMillis(30)));
    refused(Fault.BUSY, () -> hasty.update(index -> index), "index.lock", "30 ms");
    tried.countDown();
    holder.join();
    assertThat(samples.paths.index()).doesNotExist();
    hasty.update(index -> index);
    assertThat(samples.paths.index()).exists();
  }

  @Test
  void anotherProcessThatHoldsTheLockIsNamedAndItsDeathFreesIt() throws Exception {
    Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
        "-cp", System.getProperty("java.class.path"), LockHolder.class.getName(), samples.prefix.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).isEqualTo("held");
      PrefixIndex hasty = new PrefixIndex(samples.paths, PatientLocks.user("n2", Duration.ofMillis(50)));
      refused(Fault.BUSY, () -> hasty.update(index -> index), "other node (process " + process.pid() + ") since ");
    } finally {
      process.destroyForcibly().waitFor();
    }
    samples.index.update(index -> index);
    assertThat(samples.paths.indexLock()).content().startsWith("n0 (process " + ProcessHandle.current().pid());
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Holds the lock of the prefix directory in its argument until its input ends. */
  static final class LockHolder {
    public static void main(String[] arguments) {
      PrefixPaths paths = new PrefixPaths(Path.of(arguments[0]));
      new PrefixLock(paths, PatientLocks.user("other node", Duration.ofSeconds(10))).with(() -> {
        System.out.println("held");
        try {
          return System.in.read();
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      });
    }
  }
}
