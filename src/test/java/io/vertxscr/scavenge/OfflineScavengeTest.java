package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.explain.Diagnosis;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Job;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.storage.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the choice of a scavenge, its order and verdict, and the copies of one machine, as values. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class OfflineScavengeTest {
  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;
  private PrefixIndex index;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> log = new ArrayList<>();

  private final class Log implements OfflineScavenge.ScavengeLog {
    @Override
    public void begun(int dataset) {
      log.add("begun " + dataset);
    }

    @Override
    public void ended(int dataset, boolean whole) {
      log.add("ended " + dataset + " " + whole);
    }
  }

  @BeforeEach
  void makeCaches() {
    makeCaches(Scheme.XOR);
  }

  private void makeCaches(Scheme scheme) {
    caches = new TestCaches(temp.resolve(scheme.name()), scheme, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
    index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(5)));
  }

  private LocalCopies local() {
    return new LocalCopies(paths, caches.nodes(), findings::add);
  }

  private OfflineScavenge scavenge(DatasetCopies copies) {
    return new OfflineScavenge(paths, index,
        new FlushFileStore(paths, PatientLocks.user("test", Duration.ofSeconds(5))), copies, new Log(),
        Clock.systemUTC(), findings::add);
  }

  private static DatasetDescriptor dataset(int id, long createdUs, boolean checkpoint, boolean output) {
    return new DatasetDescriptor(id, "d." + id, new DatasetFlags(checkpoint, output), id, createdUs,
        new Job("u", "j", "1", "c"), new DatasetDescriptor.Totals(1, 1));
  }

  @Test
  void checkpointsThatARestartWouldTakeFirstAreTriedNewestFirstAndOlderOnesStay() {
    DatasetDescriptor there = dataset(5, 500, true, false);
    List<DatasetDescriptor> lacking = List.of(dataset(3, 300, true, false), dataset(4, 400, true, true),
        dataset(6, 600, true, false), dataset(7, 700, false, true), dataset(8, 800, true, true));
    ScavengeChoice choice = ScavengeChoice.of(lacking, Optional.of(there));
    assertThat(choice.checkpoints()).extracting(DatasetDescriptor::id).containsExactly(8, 6);
    assertThat(choice.left()).extracting(DatasetDescriptor::id).containsExactly(3);
    assertThat(ScavengeChoice.of(lacking, Optional.empty()).checkpoints()).extracting(DatasetDescriptor::id)
        .containsExactly(8, 6, 4, 3);
    // a later history that began again with lower numbers
    assertThat(ScavengeChoice.of(List.of(dataset(2, 900, true, false)), Optional.of(there)).checkpoints()).hasSize(1);
  }

  @Test
  void theNextOlderCheckpointIsTakenWhereTheNewestCannotBeHad() {
    DatasetDescriptor older = caches.dataset(6, "b.6");
    caches.dataset(7, "b.7");
    DatasetCopies lossy = id -> {
      if (id == 6) {
        local().copy(id);
      }
      return true;
    };
    assertThat(scavenge(lossy).all(caches.nodes(), false)).isTrue();
    assertThat(log).containsExactly("begun 7", "ended 7 false", "begun 6", "ended 6 true");
    assertThat(findings).contains(new Finding.Enlisted(older, List.of()),
        new Finding.DefectById(7, "no cache that was reached has anything of dataset 7"));
    findings.clear();
    caches.dataset(5, "b.5");
    assertThat(scavenge(local()).all(caches.nodes(), false)).as("7 can be had now").isTrue();
    assertThat(findings).last().isInstanceOf(Finding.Enlisted.class);
    findings.clear();
    assertThat(scavenge(local()).all(caches.nodes(), false)).isTrue();
    assertThat(findings).singleElement().isInstanceOfSatisfying(Finding.LeftInCaches.class,
        left -> assertThat(left.left()).extracting(DatasetDescriptor::id).containsExactly(5));
  }

  /** Method: both have the same paths. A scavenge of some machines may have listed what it had of the newest one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPublicationThatWasKilledBeforeItWasListedIsListedAndNoOlderOneTakesItsPaths(boolean partListed) {
    DatasetDescriptor older = caches.dataset(6, "b.6", "out");
    DatasetDescriptor newest = caches.dataset(7, "b.7", "out");
    if (partListed) {
      index.update(before -> before.put(
          new Index.Entry(newest, false, Optional.empty(), List.of(), Optional.empty())));
    }
    caches.copy(7);
    new DatasetAssembly(paths, new Publication(paths, index)).assemble(7, (_, work) -> work.accept(index));
    assertThat(index.read().index().candidates()).isEmpty();

    assertThat(scavenge(local()).all(caches.nodes(), false)).isTrue();
    assertThat(index.read().index().candidates()).extracting(Index.Entry::descriptor).containsExactly(newest);
    assertThat(DatasetVerification.verify(paths, 7).problems()).isEmpty();
    assertThat(findings).contains(new Finding.LeftInCaches(newest, List.of(older)));
  }

  /** As where the prefix directory was not mounted when its run began, whose ids begin anew then. */
  @Test
  void aDatasetWhoseIdAnotherOneHasThereStaysInTheCachesAndIsNamed() throws Exception {
    caches.dataset(7, "b.7");
    DatasetDescriptor there = dataset(7, 500, true, false);
    Files.createDirectories(paths.summary(7).getParent());
    AtomicFile.replace(paths.summary(7), SummaryFile.encode(new Summary(there, true, OptionalLong.empty())));
    index.update(before -> before.enlist(List.of(there), LocalDateTime.now(Clock.systemUTC())));
    for (boolean all : new boolean[] {true, false}) {
      findings.clear();
      assertThat(all ? scavenge(local()).all(caches.nodes(), false) : scavenge(local()).one(7, false)).isFalse();
      assertThat(findings).singleElement().isInstanceOfSatisfying(Finding.DefectById.class, finding ->
          assertThat(finding.sentence()).contains("dataset 7 \"b.7\" stays in the caches", "\"d.7\""));
      assertThat(DatasetScanner.isScavenged(paths, 7)).isFalse();
    }
  }

  @Test
  void withoutAnyCacheNothingIsToBeScavengedAndNothingIsWritten() {
    assertThat(scavenge(local()).all(List.of(), false)).isTrue();
    assertThat(findings).containsExactly(new Finding.NothingToScavenge(false));
    assertThat(paths.scr()).doesNotExist();
    assertThat(scavenge(local()).one(9, false)).isFalse();
    assertThat(log).containsExactly("begun 9", "ended 9 false");
  }

  @Test
  void aCopyIsMadeOnlyOfWhatIsNotPublishedWhole() throws Exception {
    caches.dataset(6, "b.6");
    assertThat(local().copyIfNeeded(6, index)).isEmpty();
    assertThat(findings).hasSize(4).allMatch(Finding.PartCopied.class::isInstance);
    assertThat(scavenge(local()).one(6, false)).isTrue();
    findings.clear();
    assertThat(local().copyIfNeeded(6, index)).isEmpty();
    assertThat(findings).containsExactly(new Finding.NothingToCopy(6));
    findings.clear();
    Files.delete(caches.prefix.resolve("b.6/b.1"));
    assertThat(local().copyIfNeeded(6, index)).isEmpty();
    assertThat(findings).element(0).isInstanceOf(Finding.DefectById.class);
    assertThat(findings).element(1).isEqualTo(new Finding.CopiedForRepair(6));
    assertThat(local().copyIfNeeded(7, index)).contains("none of the nodes n0, n1, n2, n3 has anything of dataset 7");
  }

  @Test
  void anInspectionDiagnosesEachDatasetOnceAndKnowsWhatThePrefixDirectoryHas() {
    caches.dataset(6, "b.6");
    caches.dataset(7, "b.7");
    scavenge(local()).one(6, false);
    caches.lose("n3");
    CacheInspection seen = CacheInspection.of(caches.nodes(), prefix -> index);
    assertThat(seen.damage()).isEmpty();
    assertThat(seen.parts()).hasSize(6);
    assertThat(seen.parts()).extracting(part -> part.dataset().id() + part.node() + part.flush())
        .containsExactly("6n0" + FlushState.DONE, "6n1" + FlushState.DONE, "6n2" + FlushState.DONE,
            "7n0" + FlushState.WANTED, "7n1" + FlushState.WANTED, "7n2" + FlushState.WANTED);
    assertThat(seen.datasets()).hasSize(2).allSatisfy(part -> assertThat(part.diagnosis().lost()).isEmpty());
    caches.lose("n2");
    assertThat(CacheInspection.of(caches.nodes(), prefix -> index).datasets())
        .allSatisfy(part -> assertThat(part.diagnosis()).extracting(Diagnosis::lost).asInstanceOf(
            InstanceOfAssertFactories.MAP).containsOnlyKeys(2, 3));
  }

  /** A loop of symbolic links in the place of a rank's files: an error of the operating system that stays. */
  private static Path unreadable(Path files) throws IOException {
    Path aside = files.resolveSibling(files.getFileName() + ".aside");
    Files.move(files, aside);
    Files.createSymbolicLink(files, files);
    return aside;
  }

  private static void readable(Path files, Path aside) throws IOException {
    Files.delete(files);
    Files.move(aside, files);
  }

  private static FlushDescriptor form(boolean packed) {
    return packed ? FlushDescriptor.packed(FlushDescriptor.MIN_CONTAINER_BYTES, 1) : FlushDescriptor.FILES;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cachedFilesThatCannotBeReadAreNamedWhereAnOlderCheckpointIsTaken(boolean packed) throws Exception {
    makeCaches(Scheme.SINGLE);
    caches.flushed(form(packed));
    caches.dataset(6, "b.6");
    DatasetDescriptor newest = caches.dataset(7, "b.7");
    Path files = caches.directory("n2", 7).resolve("rank.2");
    Path aside = unreadable(files);
    assertThat(scavenge(local()).all(caches.nodes(), false)).as("the newest may be had yet").isFalse();
    assertThat(findings).anySatisfy(finding -> assertThat(finding).isInstanceOfSatisfying(Finding.DefectById.class,
        defect -> assertThat(defect.sentence()).contains("node n2", files.toString(), "symbolic links")));
    assertThat(index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(6);
    readable(files, aside);
    assertThat(scavenge(local()).all(caches.nodes(), false)).isTrue();
    assertThat(index.read().index().candidates()).extracting(Index.Entry::descriptor).startsWith(newest);
    assertThat(DatasetVerification.verify(paths, 7).problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cachedFilesThatCannotBeReadAreRebuiltWhereTheSchemeReplacesThem(boolean packed) throws Exception {
    caches.flushed(form(packed));
    caches.dataset(7, "b.7");
    unreadable(caches.directory("n2", 7).resolve("rank.2"));
    assertThat(scavenge(local()).all(caches.nodes(), false)).isTrue();
    assertThat(DatasetVerification.verify(paths, 7).problems()).isEmpty();
  }

  @Test
  void scavengedFilesThatCannotBeReadAreNotTakenForLost() throws Exception {
    makeCaches(Scheme.SINGLE);
    caches.dataset(6, "b.6");
    caches.dataset(7, "b.7");
    caches.copy(7);
    Path files = paths.dataset(7).resolve("rank.2");
    Path aside = unreadable(files);
    assertThatThrownBy(() -> scavenge(_ -> true).all(caches.nodes(), false)).isInstanceOfSatisfying(
        ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO)).hasMessageContaining(files.toString());
    assertThat(index.read().index().entries()).isEmpty();
    readable(files, aside);
    assertThat(scavenge(_ -> true).all(caches.nodes(), false)).isTrue();
    assertThat(index.read().index().candidates()).extracting(Index.Entry::id).containsExactly(7);
  }
}
