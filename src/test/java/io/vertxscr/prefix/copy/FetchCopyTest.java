package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.extent.WrongFiles;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: what comes back into a cache is what was flushed, or a refusal that names file and dataset. */
class FetchCopyTest {
  @TempDir
  Path temp;
  Samples samples;
  Path back;
  FetchCopy fetch;

  @BeforeEach
  void makeSamples() {
    samples = new Samples(temp);
    back = temp.resolve("other-cache/scr.dataset.3");
    fetch = new FetchCopy(samples.paths, 3, back);
  }

  /** Method: a later dataset has taken the path and is not complete; what it has kept cannot be seen, or read, once. */
  @ParameterizedTest
  @CsvSource({"true, looks", "false, looks", "true, reads"})
  void whatALaterDatasetHasKeptIsNotMissedForOneError(boolean hasChecksum, String fails) throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Samples older = new Samples(disk.directory("/job"));
      older.flush(descriptor(3, "b.3"), List.of(older.cached(3, 0, "a/x")));
      older.flushSteps(descriptor(4, "b.4"), List.of(older.cached(4, 0, "a/x"))).subList(0, 3).forEach(Runnable::run);
      RankEntry whole = new RankMapReader(older.paths, 3).entries(List.of(0)).getFirst();
      FlushedFile file = whole.files().getFirst();
      RankEntry entry = hasChecksum ? whole : new RankEntry(0, List.of(new FlushedFile(
          file.path(), file.bytes(), OptionalInt.empty(), List.of())));
      FetchCopy copy = new FetchCopy(older.paths, 3, disk.directory("/back"));
      Path kept = older.paths.kept("a/x", 4);
      Path struck = hasChecksum && fails.equals("looks") ? kept.getParent() : kept;
      FaultyDisk.Look once = FaultyDisk.Look.failsOnce(struck::equals);
      if (fails.equals("looks")) {
        disk.looks(once);
      } else {
        disk.trouble((_, what) -> once.at(disk.directory("/").resolve(what.substring(what.indexOf('/')))));
      }
      refused(Fault.IO, () -> Samples.fetched(copy, entry), "Input/output error");
      RankFiles fetched = Samples.fetched(copy, entry);
      assertThat(disk.directory("/back").resolve(fetched.files().getFirst().name()))
          .hasBinaryContent(bytes(3, 0, "a/x"));
    }
  }

  /** Large files of any size are parts of their own, and small ones are batched up to the limit. */
  @Test
  void filesAreFetchedInPartsThatAreNeitherManySmallOnesNorSeveralLargeOnes() {
    long whole = FetchCopy.PART_BYTES;
    assertThat(parts()).containsExactly(List.of());
    assertThat(parts(1, 1, 1)).containsExactly(List.of("f0", "f1", "f2"));
    assertThat(parts(whole, 1, whole - 1, 3 * whole, 1)).containsExactly(
        List.of("f0"), List.of("f1", "f2"), List.of("f3"), List.of("f4"));
    assertThat(parts(-1, -1)).as("of unknown size").containsExactly(List.of("f0"), List.of("f1"));
  }

  private List<List<String>> parts(long... sizes) {
    List<FlushedFile> files = IntStream.range(0, sizes.length).mapToObj(i -> new FlushedFile("d/f" + i,
        sizes[i] < 0 ? OptionalLong.empty() : OptionalLong.of(sizes[i]), OptionalInt.of(1), List.of())).toList();
    RankEntry entry = new RankEntry(7, files);
    assertThat(fetch.parts(entry)).allMatch(part -> part.rank() == 7);
    List<List<String>> parts = fetch.parts(entry).stream().map(part -> part.paths().stream()
        .map(path -> path.substring(2)).toList()).toList();
    assertThat(DirectFiles.parts(entry).stream().map(part -> part.files().size()))
        .isEqualTo(parts.stream().map(List::size).toList());
    return parts;
  }

  @Test
  void everyFileComesBackUnderANameOfItsOwn() {
    RankFiles rank0 = samples.cached(3, 0, "a/x", "b/x", "c/x", "empty");
    RankFiles rank1 = samples.cached(3, 1, "a/y");
    samples.flush(descriptor(3, "b.3"), List.of(rank0, rank1));
    for (RankEntry entry : new RankMapReader(samples.paths, 3).entries(List.of(0, 1))) {
      for (int repeat = 0; repeat < 2; repeat++) {
        assertThat(Samples.fetched(fetch, entry)).isEqualTo(entry.rank() == 0 ? rank0 : rank1);
      }
    }
    assertThat(Samples.tree(back)).isEqualTo(Samples.tree(samples.cacheOf(3)));
  }

  /** Method: pieces of 7 bytes of files of 40 and none, in any order, by several threads. */
  @Test
  void aLargeFileIsFetchedInPiecesByAnyThreadsInAnyOrder() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("FetchCopyTest seed " + seed);
    Random random = new Random(seed);
    RankFiles rank = samples.cached(3, 0, "empty", "x", "y");
    samples.flush(descriptor(3, "b.3"), List.of(rank));
    RankEntry entry = new RankMapReader(samples.paths, 3).entries(List.of(0)).getFirst();
    FetchCopy pieces = fetch.dividing(7);
    assertThat(pieces.divides(entry)).isTrue();
    assertThat(fetch.divides(entry)).isFalse();
    for (int round = 0; round < 50; round++) {
      List<FetchCopy.FetchedPart> parts = pieces.parts(entry);
      assertThat(parts).hasSize(1 + 6 + 6);
      List<Integer> order = new ArrayList<>(IntStream.range(0, parts.size()).boxed().toList());
      Collections.shuffle(order, random);
      FetchCopy.Fetched[] fetched = new FetchCopy.Fetched[parts.size()];
      order.parallelStream().forEach(i -> fetched[i] = parts.get(i).copy());
      assertThat(pieces.join(List.of(fetched))).as("seed %d", seed).containsExactly(rank);
      assertThat(Samples.tree(back)).isEqualTo(Samples.tree(samples.cacheOf(3)));
    }
  }

  @Test
  void everyFlippedBitOfALargeFileIsFoundByOneOfItsPieces() throws IOException {
    samples.flush(descriptor(3, "b.3"), List.of(samples.cached(3, 0, "a/x")));
    RankEntry entry = new RankMapReader(samples.paths, 3).entries(List.of(0)).getFirst();
    FetchCopy pieces = fetch.dividing(7);
    Path file = samples.prefix.resolve("a/x");
    Samples.forEveryBitFlip(file, () -> refused(Fault.CORRUPT, () -> Samples.fetched(pieces, entry),
        "dataset 3", "a/x", "rank 0"));
    for (int bytes : new int[] {0, 34, 39, 41}) {
      Files.write(file, new byte[bytes]);
      refused(Fault.CORRUPT, () -> Samples.fetched(pieces, entry), "a/x", bytes + " bytes instead of 40");
    }
    Files.delete(file);
    refused(Fault.CORRUPT, () -> Samples.fetched(pieces, entry), "dataset 3", "a/x", "missing");
  }

  @Test
  void everyFlippedBitInThePrefixDirectoryIsFoundAndLeavesNoFile() throws IOException {
    samples.flush(descriptor(3, "b.3"), List.of(samples.cached(3, 0, "a/x")));
    RankEntry entry = new RankMapReader(samples.paths, 3).entries(List.of(0)).getFirst();
    Path file = samples.prefix.resolve("a/x");
    Samples.forEveryBitFlip(file, () -> refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry),
        "dataset 3", "a/x", "rank 0"));
    Files.write(file, new byte[39]);
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), "dataset 3", "a/x", "39 bytes instead of 40");
    Files.delete(file);
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), "dataset 3", "a/x", "missing");
    assertThat(Samples.tree(back)).isEmpty();
  }

  /** Method: 14 files, of which more and more are damaged, in any order. */
  @Test
  void allFilesThatAreWrongAreCountedAndTheFirstOfThemNamed() throws IOException {
    String[] names = IntStream.range(0, 14).mapToObj(i -> "a/f%02d".formatted(i)).toArray(String[]::new);
    samples.flush(descriptor(3, "b.3"), List.of(samples.cached(3, 0, names)));
    RankEntry entry = new RankMapReader(samples.paths, 3).entries(List.of(0)).getFirst();
    for (int wrong = 1; wrong <= names.length; wrong++) {
      Files.write(samples.prefix.resolve(names[wrong - 1]), new byte[40]);
      String[] named = Arrays.copyOf(names, Math.min(wrong, WrongFiles.MOST_NAMED));
      refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), named);
      if (wrong > 1) {
        refused(Fault.CORRUPT, () -> Samples.fetched(fetch, entry), wrong + " files are wrong: ",
            wrong > named.length ? "; and " + (wrong - named.length) + " more" : names[wrong - 1]);
      }
    }
  }

  @Test
  void filesOfOtherWritersWithoutChecksumComeBackAndAreNamedAsUnverified() {
    byte[] bytes = bytes(3, 0, "x");
    Samples.write(samples.prefix.resolve("x"), bytes);
    for (OptionalLong size : List.of(OptionalLong.empty(), OptionalLong.of(bytes.length))) {
      RankEntry entry = new RankEntry(0, List.of(new FlushedFile("x", size, OptionalInt.empty(), List.of())));
      FetchCopy.Fetched fetched = fetch.parts(entry).getFirst().copy();
      assertThat(fetched.unverified()).containsExactly("x");
      assertThat(fetched.files().files())
          .containsExactly(new FileMeta("rank.0/x", "x", bytes.length, OptionalInt.of(Samples.crc(bytes)),
              Optional.of(Samples.stamp(samples.prefix.resolve("x")))));
    }
    RankEntry wrongSize = new RankEntry(0,
        List.of(new FlushedFile("x", OptionalLong.of(1), OptionalInt.empty(), List.of())));
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, wrongSize), "x");
  }

  @Test
  void mapsThatLeadOutOfThePrefixAndToContainersThatAreNotThereAreRefused() {
    for (String path : List.of("../cache/x", "/etc/passwd", "", "a/../../x", ".scr/index.scr")) {
      RankEntry entry = new RankEntry(0,
          List.of(new FlushedFile(path, OptionalLong.empty(), OptionalInt.empty(), List.of())));
      refused(Fault.OUTSIDE_PREFIX, () -> Samples.fetched(fetch, entry), samples.prefix.toString());
    }
    RankEntry contained = new RankEntry(0, List.of(
        new FlushedFile("x", OptionalLong.of(1), OptionalInt.of(1), List.of(new Segment(".scr/ctr.1.scr", 0, 1)))));
    refused(Fault.CORRUPT, () -> Samples.fetched(fetch, contained), "x of rank 0", "ctr.1.scr");
  }
}
