package io.vertxscr.format.prefix;

import static io.vertxscr.format.Samples.TIME;
import static io.vertxscr.format.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: edits of the index lose nothing else, and restarts get the right datasets in order. */
@Execution(ExecutionMode.CONCURRENT)
class IndexTest {
  private static final Index THREE = Index.EMPTY.put(flushed(1, "a")).put(flushed(3, "c")).put(flushed(2, "b"));

  @Test
  void candidatesAreNewestFirst() {
    assertThat(names(THREE)).containsExactly("c", "b", "a");
    assertThat(Index.EMPTY.candidates()).isEmpty();
  }

  @Test
  void candidatesStartFromCurrentAndGoBack() {
    assertThat(names(THREE.setCurrent("c"))).containsExactly("c", "b", "a");
    assertThat(names(THREE.setCurrent("b"))).containsExactly("b", "a");
    assertThat(names(THREE.setCurrent("a"))).containsExactly("a");
  }

  @Test
  void currentThatNobodyKnowsCountsAsNone() {
    assertThat(names(new Index(Optional.of("gone"), THREE.entries()))).containsExactly("c", "b", "a");
  }

  @Test
  void candidatesSkipWhatCannotBeRestartedFrom() {
    DatasetDescriptor output = new DatasetDescriptor(5, "o", DatasetFlags.OUTPUT, 0, 1, descriptor(1, "a").job(),
        DatasetDescriptor.Totals.NONE);
    Index index = THREE.put(Index.Entry.flushed(descriptor(4, "d"), false, TIME))
        .put(Index.Entry.flushed(output, true, TIME))
        .markFailed(2, TIME).setCurrent("o");
    assertThat(names(index)).containsExactly("c", "a");
  }

  @Test
  void failedCurrentLeadsToTheNextOlder() {
    assertThat(names(THREE.setCurrent("b").markFailed(2, TIME))).containsExactly("a");
  }

  @Test
  void newDatasetOfAnOldNameReplacesTheOldOne() {
    Index index = THREE.setCurrent("a").put(flushed(4, "a"));
    assertThat(index.entries()).extracting(Index.Entry::id).containsExactly(2, 3, 4);
    assertThat(index.find("a")).map(Index.Entry::id).contains(4);
    assertThat(index.current()).contains("a");
    assertThat(names(index)).containsExactly("a", "c", "b");
    assertThat(IndexFile.decode(IndexFile.encode(index))).isEqualTo(index);
  }

  @Test
  void sameDatasetAgainReplacesItselfAndForgetsItsFailure() {
    Index index = THREE.markFailed(2, TIME).put(flushed(2, "b2"));
    assertThat(index.entries()).extracting(Index.Entry::name).containsExactly("a", "b2", "c");
    assertThat(names(index)).containsExactly("c", "b2", "a");
  }

  @Test
  void severalAtOnceAreAsOneAfterTheOther() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("IndexTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      Index before = random.nextBoolean() ? THREE.setCurrent("b") : THREE.markFailed(3, TIME);
      List<Index.Entry> added = random.ints(random.nextInt(6), 1, 7)
          .mapToObj(id -> flushed(id, "abcdef".charAt(random.nextInt(6)) + "")).toList();
      Index oneByOne = before;
      for (Index.Entry entry : added) {
        oneByOne = oneByOne.put(entry);
      }
      Index expected = before.current().flatMap(oneByOne::find).isPresent() ? oneByOne.setCurrent("b")
          : oneByOne.withoutCurrent();
      assertThat(before.putAll(added).entries()).as("seed %d round %d", seed, round).isEqualTo(oneByOne.entries());
      assertThat(before.putAll(added).candidates()).isEqualTo(expected.candidates());
    }
  }

  @Test
  void theNewestOfThoseThatAreEnlistedBecomesCurrentUnlessANewerOneIsHere() {
    DatasetDescriptor output = new DatasetDescriptor(9, "o", DatasetFlags.OUTPUT, 0, 1, descriptor(1, "a").job(),
        DatasetDescriptor.Totals.NONE);
    Index many = THREE.setCurrent("a").enlist(List.of(descriptor(5, "e"), output, descriptor(4, "d")), TIME);
    assertThat(many.entries()).extracting(Index.Entry::name).containsExactly("a", "b", "c", "d", "e", "o");
    assertThat(many.current()).contains("e");
    assertThat(many.setCurrent("a").enlist(List.of(descriptor(5, "e"), descriptor(1, "a")), TIME.plusDays(1)))
        .as("all are known").isEqualTo(many.setCurrent("a"));
    assertThat(many.drop(4).setCurrent("a").enlist(List.of(descriptor(4, "d")), TIME).current()).contains("a");
    assertThat(many.markFailed(5, TIME).drop(4).enlist(List.of(descriptor(4, "d")), TIME).current()).contains("d");
    assertThat(THREE.enlist(List.of(), TIME)).isEqualTo(THREE);
  }

  @Test
  void droppingAllAfterADatasetKeepsItAndTheOlderOnes() {
    assertThat(THREE.dropAfter("b").entries()).extracting(Index.Entry::name).containsExactly("a", "b");
    assertThat(THREE.setCurrent("c").dropAfter("b").current()).isEmpty();
    assertThat(THREE.setCurrent("a").dropAfter("b").current()).contains("a");
    assertThat(THREE.dropAfter("c")).isEqualTo(THREE);
  }

  @Test
  void currentGoesWithTheDatasetThatHadIt() {
    assertThat(THREE.setCurrent("b").drop(2).current()).isEmpty();
    assertThat(THREE.setCurrent("b").drop(1).current()).contains("b");
    assertThat(THREE.setCurrent("b").put(flushed(2, "other")).current()).isEmpty();
  }

  @Test
  void fetchesAreKeptOnceEachInOrderAndInWholeSeconds() {
    Index index = THREE.markFetched(1, TIME.plusHours(1)).markFetched(1, TIME.plusNanos(5)).markFetched(1, TIME);
    assertThat(index.find(1).orElseThrow().fetched()).containsExactly(TIME, TIME.plusHours(1));
    assertThat(IndexFile.decode(IndexFile.encode(index))).isEqualTo(index);
  }

  @Test
  void theMarkOfAVerificationIsToldFromThatOfARun() {
    Index damaged = THREE.markDamaged(2, TIME);
    assertThat(names(damaged)).containsExactly("c", "a");
    assertThat(IndexFile.decode(IndexFile.encode(damaged))).isEqualTo(damaged);
    assertThat(damaged.markFetched(2, TIME).markGood(2)).isEqualTo(THREE.markFetched(2, TIME));
    assertThat(damaged.markDamaged(2, TIME.plusHours(1))).isEqualTo(damaged);

    Index failed = THREE.markFailed(2, TIME);
    assertThat(failed).isNotEqualTo(damaged);
    assertThat(IndexFile.decode(IndexFile.encode(failed))).isEqualTo(failed);
    assertThat(List.of(failed.markGood(2), failed.markDamaged(2, TIME.plusHours(1)), damaged.markFailed(2, TIME),
        THREE.markGood(1).markFailed(2, TIME))).containsOnly(failed);
  }

  @Test
  void aRepairDoesNotMakeCurrentWhatTheCurrentOneExcludes() {
    DatasetDescriptor newest = THREE.find(3).orElseThrow().descriptor();
    for (Index lost : List.of(THREE.markDamaged(3, TIME), THREE.markReplaced(Set.of(3), 4))) {
      assertThat(lost.setCurrent("a").enlistWritten(newest, TIME).current()).contains("a");
      assertThat(lost.setCurrent("a").enlistWritten(newest, TIME).find(3).orElseThrow().restartable()).isTrue();
      assertThat(lost.withoutCurrent().enlistWritten(newest, TIME).current()).contains("c");
    }
    assertThat(THREE.setCurrent("a").drop(3).enlistWritten(newest, TIME).current()).as("new").contains("c");
  }

  /** As one of which some nodes were scavenged, before a flush brought it there. */
  @Test
  void whatAVerificationMarkedBeforeItWasEverWholeBecomesCurrentWhenItIs() {
    DatasetDescriptor newest = THREE.find(3).orElseThrow().descriptor();
    Index.Entry inPart = new Index.Entry(newest, false, Optional.empty(), List.of(), Optional.empty());
    Index marked = THREE.drop(3).put(inPart).setCurrent("b").markDamaged(3, TIME);
    assertThat(IndexFile.decode(IndexFile.encode(marked)).enlistWritten(newest, TIME).current()).contains("c");
  }

  @Test
  void whatAnotherToolHasMarkedSinceIsNotTakenForTheMarkOfAVerification() {
    Hash index = HashFile.decode(IndexFile.encode(THREE), "index file");
    index.at("DSET").at("2").set("DAMAGED", "2026-11-20T22:00:00").set("FAILED", "2026-11-20T23:59:59");
    assertThat(IndexFile.decode(HashFile.encode(index)).find(2).orElseThrow())
        .returns(false, Index.Entry::byVerify).matches(entry -> entry.failed().isPresent());
  }

  @Test
  void editsOfUnknownDatasetsAreRefused() {
    List<Runnable> edits = List.of(() -> THREE.drop(9), () -> THREE.markFailed(9, TIME),
        () -> THREE.markDamaged(9, TIME), () -> THREE.markGood(9),
        () -> THREE.markFetched(9, TIME), () -> THREE.setCurrent("z"));
    for (Runnable edit : edits) {
      assertThatThrownBy(edit::run).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_DATASET));
    }
  }

  @Test
  void twoDatasetsOfOneNameOrIdAreRefused() {
    for (Index.Entry twin : List.of(flushed(1, "z"), flushed(9, "a"))) {
      List<Index.Entry> entries = new ArrayList<>(THREE.entries());
      entries.add(twin);
      assertThatThrownBy(() -> new Index(Optional.empty(), entries)).isInstanceOf(ScrException.class);
    }
  }

  @Test
  void randomEditsAgreeWithTwoPlainMaps() {
    long seed = Long.getLong("seed", 11L);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Index index = Index.EMPTY;
    Map<Integer, String> nameById = new HashMap<>();
    for (int step = 0; step < 2000; step++) {
      int id = 1 + random.nextInt(12);
      String name = "n" + random.nextInt(12);
      if (random.nextInt(3) > 0) {
        index = index.put(flushed(id, name));
        nameById.values().remove(name);
        nameById.put(id, name);
      } else if (nameById.remove(id) != null) {
        index = index.drop(id);
      }
      Map<Integer, String> actual = new HashMap<>();
      index.entries().forEach(entry -> actual.put(entry.id(), entry.name()));
      assertThat(actual).isEqualTo(nameById);
      assertThat(IndexFile.decode(IndexFile.encode(index))).isEqualTo(index);
    }
  }

  private static Index.Entry flushed(int id, String name) {
    return Index.Entry.flushed(descriptor(id, name), true, TIME);
  }

  private static List<String> names(Index index) {
    return index.candidates().stream().map(Index.Entry::name).toList();
  }
}
