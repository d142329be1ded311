package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: publication, verification and edits of an index give results as values; no text is compared. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class DatasetPublisherTest {
  private static final Clock NOON = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;
  private PrefixIndex index;
  private final List<Finding> findings = new ArrayList<>();
  private DatasetPublisher publisher;

  @BeforeEach
  void makeCaches() {
    caches = new TestCaches(temp, Scheme.XOR, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
    var user = PatientLocks.user("test", Duration.ofSeconds(5));
    index = new PrefixIndex(paths, user);
    publisher = new DatasetPublisher(paths, index, new FlushFileStore(paths, user), NOON, findings::add);
  }

  private Index.Entry entry(int id) {
    return index.read().index().find(id).orElseThrow();
  }

  @Test
  void addTellsWhichRanksItHasRebuiltAndListsTheDatasetAtTheTimeOfItsClock() {
    caches.dataset(5, "b.5");
    DatasetDescriptor dataset = caches.dataset(6, "b.6");
    caches.lose("n2");
    caches.copy(5);
    caches.copy(6);
    assertThat(publisher.add(5, false)).as("it begins the index, with the time of its summary").isTrue();
    findings.clear();

    assertThat(publisher.add(6, false)).isTrue();
    assertThat(findings).containsExactly(new Finding.Enlisted(dataset, List.of(2)));
    assertThat(entry(6)).returns(true, Index.Entry::complete)
        .returns(Optional.of(LocalDateTime.of(2026, 11, 20, 12, 0)), Index.Entry::flushed);
    assertThat(List.of(publisher.idOf("6"), publisher.idOf("b.6"), publisher.idOf("scr.dataset.6"))).containsOnly(6);
    assertThatThrownBy(() -> publisher.idOf("b.7")).isInstanceOf(ScrException.class)
        .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.BAD_CONFIGURATION);
  }

  /** Sizes are compared, and no bytes. */
  @Test
  void aFileThatADatasetHasReplacedIsNotTakenForItsOwn() throws IOException {
    caches.dataset(5, "b.5", "out");
    caches.copy(5);
    assertThat(publisher.add(5, false)).isTrue();
    Files.delete(paths.file("out/a.2"));
    Files.write(paths.kept("out/a.2", 5), caches.bytes(4, 2, "a"));
    assertThat(publisher.add(5, false)).isTrue();
    assertThat(paths.file("out/a.2")).hasBinaryContent(caches.bytes(5, 2, "a"));
    assertThat(DatasetVerification.verify(paths, 5).problems()).isEmpty();
  }

  /** Method: the summary cannot be written, once. */
  @Test
  void anOlderDatasetStaysWholeUntilTheOneThatTakesItsPathsIsComplete() throws IOException {
    caches.dataset(5, "b.5", "out");
    DatasetDescriptor later = caches.dataset(6, "b.6", "out");
    caches.copy(5);
    assertThat(publisher.add(5, false)).isTrue();
    caches.copy(6);
    var assembly = new DatasetAssembly(paths, new Publication(paths, index));
    assertThatThrownBy(() -> assembly.assemble(6, (_, work) -> {
      makeDirectory(paths.summary(6).resolve("in the way"));
      work.accept(index);
    })).isInstanceOf(ScrException.class);

    assertThat(paths.file("out/a.2")).hasBinaryContent(caches.bytes(6, 2, "a"));
    assertThat(DatasetVerification.verify(paths, 5).problems()).isEmpty();
    assertThat(entry(5).complete()).isTrue();

    Trees.delete(paths.summary(6));
    Path ofAnotherForm = Files.createFile(paths.kept("out/a.2.zst", 6));
    caches.copy(6);                                       // again: they are not where they were copied
    assertThat(publisher.add(6, false)).isTrue();
    assertThat(entry(5).replacedBy()).hasValue(6);
    assertThat(DatasetVerification.verify(paths, 6).problems()).isEmpty();
    try (var left = Files.list(paths.file("out"))) {
      assertThat(left).as("nothing is kept any more, but what a flush in another form has replaced")
          .hasSize((int) later.totals().files() + 1).contains(ofAnotherForm);
    }
  }

  /** Method: both have the same paths, with files of the same sizes; all are listed again by a build. */
  @Test
  void whatWasDroppedHasLostItsFilesToAnOlderDatasetThatIsPublishedOverThem() {
    DatasetDescriptor older = caches.dataset(5, "b.5", "out");
    caches.dataset(6, "b.6", "out");
    caches.copy(6);
    assertThat(publisher.add(6, false)).isTrue();
    index.update(listed -> listed.drop(6));

    caches.copy(5);
    assertThat(publisher.add(5, false)).isTrue();
    assertThat(findings).last().isEqualTo(new Finding.Enlisted(older, List.of()));
    publisher.build();
    assertThat(index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(5);
    assertThat(DatasetVerification.verify(paths, 5).problems()).isEmpty();
    assertThat(new Publication(paths, index).isComplete(6)).isFalse();
  }

  private static void makeDirectory(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatCannotBeRebuiltIsNotWholeAndNotValid() {
    DatasetDescriptor dataset = caches.dataset(6, "b.6");
    caches.lose("n1");
    caches.lose("n2");
    caches.copy(6);

    assertThat(publisher.add(6, false)).isFalse();
    assertThat(findings).singleElement().isInstanceOfSatisfying(Finding.NotWhole.class, broken -> {
      assertThat(broken.dataset()).isEqualTo(dataset);
      assertThat(broken.missing()).containsExactly(1, 2);
      assertThat(broken.unrecoverable()).containsOnlyKeys(1, 2);
    });
    assertThat(entry(6).complete()).isFalse();
  }

  /** Method: of three published datasets one loses its summary, one its map and its filemaps. */
  @Test
  void buildTellsWhatIsNotValidAnyMoreAndListsTheRest() throws IOException {
    List<DatasetDescriptor> datasets = new ArrayList<>();
    for (int id = 5; id <= 7; id++) {
      datasets.add(caches.dataset(id, "b." + id));
      caches.copy(id);
      assertThat(publisher.add(id, false)).isTrue();
    }
    findings.clear();
    assertThat(publisher.build()).isTrue();
    assertThat(findings).hasSize(3).allMatch(Finding.Enlisted.class::isInstance);

    findings.clear();
    for (int id : List.of(5, 6)) {
      for (int rank = 0; rank < caches.ranks(); rank++) {
        Files.delete(paths.dataset(id).resolve(rank + ".scrfilemap"));
      }
    }
    Files.delete(paths.summary(5));
    Files.delete(paths.rankMap(6));
    assertThat(publisher.build()).isFalse();
    assertThat(findings).contains(new Finding.Delisted(datasets.get(0), Finding.Lack.SUMMARY),
        new Finding.Delisted(datasets.get(1), Finding.Lack.READABLE_MAP),
        new Finding.Enlisted(datasets.get(2), List.of()));
    assertThat(findings).filteredOn(Finding.LeftAlone.class::isInstance).singleElement()
        .returns(6, one -> ((Finding.LeftAlone) one).dataset());
    assertThat(index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(7);
  }

  @Test
  void verificationMarksWhatDiffersAndTakesItsMarkBackWhenItIsGoodAgain() throws IOException {
    DatasetDescriptor dataset = caches.dataset(6, "b.6");
    caches.copy(6);
    publisher.add(6, false);
    findings.clear();
    var verification = new IndexVerification(paths, index, NOON, findings::add);
    Path file = caches.prefix.resolve("b.6/b.1");
    byte[] good = Files.readAllBytes(file);
    byte[] bad = good.clone();
    bad[17] ^= 1;
    Files.write(file, bad);

    assertThat(verification.verify(List.of(entry(6)))).isFalse();
    assertThat(findings).element(0).isInstanceOfSatisfying(Finding.Defect.class,
        defect -> assertThat(defect.sentence()).startsWith("rank 1: ").contains("b.6/b.1"));
    assertThat(findings).element(1).isEqualTo(new Finding.MarkChanged(dataset, true));
    assertThat(findings).element(2).isEqualTo(
        new Finding.Compared(dataset, 8, dataset.totals().bytes() - good.length, 1, true));
    assertThat(entry(6)).returns(Optional.of(LocalDateTime.of(2026, 11, 20, 12, 0)), Index.Entry::failed);

    findings.clear();
    Files.write(file, good);
    assertThat(verification.verify(List.of(entry(6)))).isTrue();
    assertThat(findings).containsExactly(new Finding.MarkChanged(dataset, false),
        new Finding.Compared(dataset, 8, dataset.totals().bytes(), 0, true));

    findings.clear();
    index.update(now -> now.markFailed(6, LocalDateTime.now(NOON)));
    assertThat(verification.verify(List.of(entry(6)))).isTrue();
    assertThat(findings).contains(new Finding.MarkStays(entry(6)));
  }

  @Test
  void anEditTellsWhatItHasDroppedAndRefusesACurrentDatasetThatRestartsSkip() {
    List<DatasetDescriptor> datasets = new ArrayList<>();
    for (int id = 5; id <= 7; id++) {
      datasets.add(caches.dataset(id, "b." + id));
      caches.copy(id);
      publisher.add(id, false);
    }
    var restarts = new RestartFileStore(paths, PatientLocks.user("test", Duration.ofSeconds(5)));
    var editor = new IndexEditor(paths, index, restarts);
    restarts.update(history -> history.startingFrom(datasets.getLast(), 7));
    assertThat(editor.setCurrent("b.5"))
        .isEqualTo(new IndexEditor.Edited(List.of(), true, Optional.of("b.5"), List.of()));
    assertThat(restarts.read().from()).isEmpty();
    assertThat(editor.setCurrent("b.5").currentChanged()).isFalse();
    index.update(now -> now.markFailed(6, LocalDateTime.now(NOON)));
    assertThatThrownBy(() -> editor.setCurrent("b.6")).isInstanceOf(ScrException.class)
        .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.WRONG_STATE);
    assertThat(editor.dropAfter("b.5").dropped()).containsExactly(datasets.get(1), datasets.get(2));
    assertThat(editor.drop("b.5"))
        .isEqualTo(new IndexEditor.Edited(List.of(datasets.getFirst()), true, Optional.empty(), List.of()));
  }
}
