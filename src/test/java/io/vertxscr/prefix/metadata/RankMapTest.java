package io.vertxscr.prefix.metadata;

import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: a map is read as written for any division, in small parts, and all damage is detected. */
@Execution(ExecutionMode.CONCURRENT)
class RankMapTest {
  @TempDir
  Path temp;
  PrefixPaths paths;

  @BeforeEach
  void makePaths() {
    paths = new PrefixPaths(temp);
  }

  private static RankFiles rank(int rank) {
    return new RankFiles(rank, IntStream.range(0, rank % 3)
        .mapToObj(i -> new FileMeta("n", "out/f" + i + "." + rank, rank + i, OptionalInt.of(rank * 31))).toList());
  }

  private void write(int ranks, int ranksPerPart) {
    RankMapWriter writer = new RankMapWriter(paths, 7, ranks, ranksPerPart);
    writer.firstRanks().forEach(first ->
        writer.writePart(first, writer.ranksFrom(first).reversed().stream().map(RankMapTest::rank).toList()));
    writer.writeRoot();
  }

  @Test
  void aNodeReadsTheRootAndThePartsOfItsOwnRanksAndWhoeverSealsReadsAll() throws Exception {
    int ranks = 4_000;
    List<RankFiles> all = IntStream.range(0, ranks).mapToObj(rank -> new RankFiles(rank, IntStream.range(0, 10)
        .mapToObj(i -> new FileMeta("n", "out/step-7/f" + i + "." + rank, 100, OptionalInt.of(i))).toList())).toList();
    long bytes = all.stream().mapToLong(RankFileMapFile::entryBytes).sum();
    RankMapWriter writer = new RankMapWriter(paths, 7, ranks, RankMapWriter.ranksPerPart(ranks, bytes / ranks));
    writer.firstRanks().forEach(first ->
        writer.writePart(first, all.subList(first, first + writer.ranksFrom(first).size())));
    writer.writeRoot();
    assertThat(writer.firstRanks()).hasSizeGreaterThan(2);
    for (int first : writer.firstRanks()) {
      Path part = paths.rankMapPart(7, MapPart.leaf(first));
      assertThat(Files.size(part)).isLessThan(RankFileMapFile.PART_BYTES * 11L / 10);
      if (first != 0) {
        Files.delete(part);                               // a reader fails
      }
    }
    assertThat(Files.size(paths.rankMap(7))).isLessThan(10_000);
    assertThat(new RankMapReader(paths, 7).entries(List.of(0, 1, 2, 3))).hasSize(4)
        .allSatisfy(entry -> assertThat(entry.files()).hasSize(10));
    refused(Fault.CORRUPT, () -> new RankMapReader(paths, 7).totals());
    var descriptor = Samples.descriptor(7, "big").with(new Totals(10L * ranks, 1000L * ranks));
    PrefixIndex index = new PrefixIndex(paths, PatientLocks.user("n0", Duration.ofSeconds(20)));
    refused(Fault.CORRUPT, () -> new Publication(paths, index).seal(
        descriptor, new Mapping(new Totals(10L * ranks, 1000L * ranks), OptionalLong.empty())), "rank2file");
    assertThat(paths.summary(7)).as("despite what the writers have said").doesNotExist();
  }

  @Test
  void everyRankComesBackForEveryDivisionOfUpToSevenRanks() {
    for (int ranks = 1; ranks <= 7; ranks++) {
      for (int ranksPerPart = 1; ranksPerPart <= ranks + 1; ranksPerPart++) {
        write(ranks, ranksPerPart);
        RankMapReader reader = new RankMapReader(paths, 7);
        List<RankEntry> expected = IntStream.range(0, ranks).mapToObj(r -> RankEntry.of(rank(r))).toList();
        assertThat(reader.ranks()).isEqualTo(ranks);
        assertThat(reader.entries(IntStream.range(0, ranks).boxed().toList().reversed())).isEqualTo(expected);
        List<RankEntry> visited = new ArrayList<>();
        reader.forEach(visited::add);
        assertThat(visited).isEqualTo(expected);
        assertThat(reader.totals()).isEqualTo(new Totals(
            IntStream.range(0, ranks).mapToLong(r -> rank(r).files().size()).sum(),
            IntStream.range(0, ranks).mapToLong(r -> rank(r).bytes()).sum()));
        int beyond = ranks;
        refused(Fault.UNKNOWN_RANK, () -> reader.entries(List.of(beyond)), "rank " + beyond);
      }
    }
  }

  @Test
  void onlyThePartsThatAreNeededAreRead() throws IOException {
    write(9, 3);
    Files.delete(paths.rankMapPart(7, MapPart.leaf(0)));
    Files.delete(paths.rankMapPart(7, MapPart.leaf(6)));
    RankMapReader reader = new RankMapReader(paths, 7);
    assertThat(reader.entries(List.of(5, 3))).containsExactly(RankEntry.of(rank(3)), RankEntry.of(rank(5)));
    refused(Fault.CORRUPT, () -> reader.entries(List.of(5, 8)), "dataset 7", "rank2file.0.6");
    refused(Fault.CORRUPT, reader::totals, "dataset 7", "rank2file.0.0");
    Files.delete(paths.rankMap(7));
    refused(Fault.CORRUPT, () -> new RankMapReader(paths, 7), "dataset 7", "rank2file");
  }

  @Test
  void ofAPartOnlyTheRanksThatAreWantedCostMemory() {
    int ranks = 10_000;
    List<RankFiles> all = IntStream.range(0, ranks).mapToObj(rank -> new RankFiles(rank, IntStream.range(0, 10)
        .mapToObj(i -> new FileMeta("n", "out/step-7/f" + i + "." + rank, 100, OptionalInt.of(i))).toList())).toList();
    byte[] part = RankFileMapFile.encode(Leaf.of(ranks, all));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    RankFileMap map = RankFileMapFile.decodeLeaf(part, Set.of(3, 9_999));
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(map).isEqualTo(Leaf.of(ranks, List.of(all.get(3), all.get(9_999))));
    assertThat(allocated).isLessThan(part.length);        // its keys of 10,000 ranks; all of it takes 55 times as much
  }

  @Test
  void everyFlippedBitAndEveryTruncationIsFoundAndNamesTheFile() {
    write(4, 2);
    Path root = paths.rankMap(7);
    Path part = paths.rankMapPart(7, MapPart.leaf(2));
    Samples.forEveryBitFlip(root, () ->
        refused(Fault.CORRUPT, () -> new RankMapReader(paths, 7), root.toString()));
    RankMapReader reader = new RankMapReader(paths, 7);
    Samples.forEveryBitFlip(part, () -> refused(Fault.CORRUPT, () -> reader.entries(List.of(2)), part.toString()));
    Samples.forEveryTruncation(part, () -> refused(Fault.CORRUPT, () -> reader.entries(List.of(2)), part.toString()));
  }

  @Test
  void moreLevelsAreReadAndALoopIsNotFollowed() {
    write(4, 2);
    Samples.write(paths.rankMapPart(7, new MapPart(0, ".1.0")),
        RankFileMapFile.encode(new Branch(4, 1, List.of(MapPart.leaf(0), MapPart.leaf(2)))));
    Samples.write(paths.rankMap(7), RankFileMapFile.encode(new Branch(4, 2, List.of(new MapPart(0, ".1.0")))));
    assertThat(new RankMapReader(paths, 7).entries(List.of(3))).containsExactly(RankEntry.of(rank(3)));
    Samples.write(paths.rankMapPart(7, new MapPart(0, ".1.0")),
        RankFileMapFile.encode(new Branch(4, 2, List.of(new MapPart(0, ".1.0")))));
    refused(Fault.CORRUPT, () -> new RankMapReader(paths, 7).entries(List.of(3)), "level 2");
  }

  @Test
  void aRootThatPointsOutOfItsDirectoryIsRefused() {
    write(2, 2);
    Samples.write(paths.rankMap(7), RankFileMapFile.encode(new Branch(2, 1, List.of(new MapPart(0, "/../../x")))));
    refused(Fault.CORRUPT, () -> new RankMapReader(paths, 7).entries(List.of(0)), "/../../x");
  }

  @Test
  void aPartTakesExactlyItsRanksAndOnlyFilesWithChecksums() {
    RankMapWriter writer = new RankMapWriter(paths, 7, 5, 2);
    assertThat(writer.firstRanks()).containsExactly(0, 2, 4);
    refused(Fault.BAD_REQUEST, () -> writer.writePart(2, List.of(rank(2))), "ranks 2 to 3");
    refused(Fault.BAD_REQUEST, () -> writer.writePart(0, List.of(rank(0), rank(1), rank(2))));
    refused(Fault.BAD_REQUEST, () -> writer.writePart(4, List.of(rank(4), rank(4))));
    refused(Fault.BAD_REQUEST, () -> writer.writePart(1, List.of(rank(1), rank(2))), "rank 1");
    FileMeta unknown = new FileMeta("n", "x", 1, OptionalInt.empty());
    refused(Fault.BAD_REQUEST, () -> writer.writePart(4, List.of(new RankFiles(4, List.of(unknown)))), "x of rank 4");
    assertThat(Samples.tree(temp)).isEmpty();
  }

  @Test
  void aPartOfTypicalEntriesStaysNearOneMebibyte() {
    List<RankFiles> entries = IntStream.range(0, 20_000).mapToObj(r -> new RankFiles(r, List.of(
        new FileMeta("n", "out/checkpoint/rank_" + r + ".ckpt", 1L << 30, OptionalInt.of(r * 7919))))).toList();
    long bytes = entries.stream().mapToLong(RankFileMapFile::entryBytes).sum();
    int perPart = RankMapWriter.ranksPerPart(20_000, (bytes + 19_999) / 20_000);
    byte[] part = RankFileMapFile.encode(Leaf.of(20_000, entries.subList(0, perPart)));
    assertThat(part.length).isBetween(900 << 10, (1 << 20) + 4096);
    assertThat(RankMapWriter.ranksPerPart(10, 1)).isEqualTo(10);
    assertThat(RankMapWriter.ranksPerPart(10, 5 << 20)).isEqualTo(1);
    assertThat(RankMapWriter.ranksPerPart(10, 0)).isEqualTo(10);
  }
}
