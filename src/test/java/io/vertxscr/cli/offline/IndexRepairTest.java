package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.TestCaches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: add, build, verify and scan report their findings by name, and by exit code. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class IndexRepairTest {
  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;

  @BeforeEach
  void makeCaches() {
    caches = new TestCaches(temp, Scheme.XOR, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
  }

  @Test
  void addRebuildsWhatIsMissingAndListsTheDataset() {
    caches.dataset(6, "b.6");
    caches.lose("n2");
    caches.copy(6);

    assertThat(index("--add", "6")).isEqualTo(
        new CliRun(0, "dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB; rebuilt rank 2\n", ""));
    assertThat(index("--list").out()).contains(" 6  ckpt  yes ").contains("*        b.6");
    assertThat(index("--add", paths.dataset(6)).out())
        .isEqualTo("dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB\n");
  }

  @Test
  void aDroppedDatasetIsPutBackByItsNameAndBuildTakesANumber() {
    caches.dataset(6, "b.6");
    caches.copy(6);
    assertThat(index("--build", "6").out()).isEqualTo("dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB\n");
    assertThat(index("--drop", "b.6").exit()).isZero();

    assertThat(index("--add", "b.6")).isEqualTo(
        new CliRun(0, "dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB\n", ""));
    assertThat(index("--build", "7")).returns(1, CliRun::exit).returns("", CliRun::out);
  }

  @Test
  void thePrefixDirectoryMayBeMovedBetweenCopyAddAndVerify() throws IOException {
    caches.dataset(6, "b.6");
    caches.lose("n2");
    caches.copy(6);
    Path moved = Files.move(caches.prefix, temp.resolve("moved"));
    Object directory = new PrefixPaths(moved).dataset(6).getFileName();
    assertThat(CliRun.of(Map.of(), "index", "--prefix", moved, "--add", directory)).isEqualTo(
        new CliRun(0, "dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB; rebuilt rank 2\n", ""));
    Path again = Files.move(moved, temp.resolve("again"));
    assertThat(CliRun.of(Map.of(), "index", "--prefix", again, "--verify"))
        .isEqualTo(new CliRun(0, "dataset 6 'b.6': good, 8 files, 4.1 kB\n", ""));
  }

  @Test
  void whatCannotBeRebuiltIsNamedByRankAndListedAsNotValid() {
    caches.dataset(6, "b.6");
    caches.lose("n1");
    caches.lose("n2");
    caches.copy(6);

    CliRun ran = index("--add", "6");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.out()).startsWith(
        "dataset 6 'b.6' is INVALID: MISSING files of ranks 1-2; UNRECOVERABLE ranks 1-2\n")
        .contains("\n  the files of rank 1 are lost, and "
            + "in the same XOR set [0, 1, 2, 3], which tolerates 1 loss, ranks [2]");
    assertThat(index("--list").out()).contains(" 6  ckpt  no ");
    assertThat(index("--scan", "6")).returns(1, CliRun::exit).extracting(CliRun::out).asString()
        .startsWith("DLIST\n  6\n    UNRECOVERABLE\n    INVALID\n    MISSING\n      1\n      2\n");
  }

  @Test
  void buildFindsAllDatasetsAgainAfterAnyDamageToTheIndex() throws IOException {
    for (int id = 5; id <= 7; id++) {
      caches.dataset(id, "b." + id);
      caches.copy(id);
    }
    assertThat(index("--add", "5").exit()).isZero();
    assertThat(index("--add", "6").exit()).isZero();
    byte[] good = Files.readAllBytes(paths.index());
    for (int length : new int[] {0, 1, 20, good.length / 2, good.length - 1}) {
      Files.write(paths.index(), Arrays.copyOf(good, length));
      CliRun ran = index("--build");
      assertThat(ran).as("torn at " + length).returns(0, CliRun::exit);
      assertThat(ran.out()).contains("the damaged index is kept as");
      assertThat(index("--list")).returns(0, CliRun::exit);
      assertThat(entries()).extracting(Index.Entry::name).containsExactly("b.5", "b.6", "b.7");
      assertThat(entries()).allMatch(Index.Entry::complete);
    }
    Files.delete(paths.index());
    assertThat(index("--build").exit()).isZero();
    assertThat(entries()).hasSize(3);
  }

  /** Method: two datasets with the same file names and sizes. The index is lost, or the later one removed from it. */
  @Test
  void whatALaterDatasetHasWrittenOverIsNotMadeValidAgain() throws IOException {
    for (int id = 5; id <= 6; id++) {
      Path directory = paths.dataset(id);
      byte[] bytes = new byte[40];
      Arrays.fill(bytes, (byte) id);
      RankFiles rank = new RankFiles(0, List.of(new FileMeta("x", "ckpt/x", 40, OptionalInt.of(crc(bytes)))));
      Files.createDirectories(directory);
      Files.createDirectories(caches.prefix.resolve("ckpt"));
      Files.write(caches.prefix.resolve("ckpt/x"), bytes);
      RankMapWriter map = new RankMapWriter(paths, id, 1, 1);
      map.writePart(0, List.of(rank));
      map.writeRoot();
      DatasetDescriptor dataset = new DatasetDescriptor(id, "b." + id, DatasetFlags.CHECKPOINT, id, id,
          new Job("u", "j", "1", "c"), new DatasetDescriptor.Totals(1, 40));
      PrefixIndex index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(5)));
      Publication publication = new Publication(paths, index);
      publication.seal(dataset);
      publication.enlist(dataset, LocalDateTime.of(2026, 11, 20, 12, 0));
    }
    Files.delete(paths.index());
    assertThat(index("--build").out()).contains("dataset 5 'b.5' was replaced by dataset 6");
    assertThat(entries().getFirst().replacedBy()).hasValue(6);
    assertThat(index("--add", "5")).returns(1, CliRun::exit);
    assertThat(index("--drop", "b.6").exit()).isZero();
    Files.delete(paths.summary(6));                       // as if it had been deleted, but for what both have
    assertThat(index("--add", "5").err()).contains("was replaced by dataset 6", "not its own");
    assertThat(entries().getFirst().replacedBy()).hasValue(6);
    byte[] own = new byte[40];
    Arrays.fill(own, (byte) 5);
    Files.write(caches.prefix.resolve("ckpt/x"), own);
    assertThat(index("--add", "5").exit()).as("somebody has brought its own files back").isZero();
    assertThat(entries().getFirst().complete()).isTrue();
  }

  private static int crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  @Test
  void buildSaysWhatWasNeverCompleteAndWhatIsNotAnyMore() throws IOException {
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    caches.copy(5);
    caches.copy(6);
    assertThat(index("--build").exit()).isZero();
    Files.delete(paths.summary(5));
    try (var maps = Files.newDirectoryStream(paths.dataset(5), "*.scrfilemap")) {
      for (Path map : maps) {
        Files.delete(map);
      }
    }

    CliRun ran = index("--build");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.out()).isEqualTo("""
        dataset 5 was never whole in the prefix directory: it has no summary
        dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB
        dataset 5 'b.5' has lost its summary: not valid any more
        """);
    assertThat(entries()).extracting(Index.Entry::complete).containsExactly(false, true);
  }

  @Test
  void aDatasetWhoseNameALaterOneHasIsNeverListedInItsPlace() throws IOException {
    caches.dataset(5, "same", "d5");
    caches.dataset(7, "other");
    caches.copy(5);
    caches.copy(7);
    assertThat(index("--build").exit()).isZero();
    Path map = paths.rankMap(7);
    byte[] good = Files.readAllBytes(map);
    Files.writeString(map, "torn");                       // so that nobody dares to remove files of the older one
    caches.dataset(6, "same", "d6");
    caches.copy(6);
    assertThat(index("--add", "6").out()).contains("dataset 5, replaced by 6, is left as it is");
    prefixIndex().update(before -> before.markFetched(6, LocalDateTime.of(2026, 1, 2, 3, 4)).setCurrent("same"));
    List<Index.Entry> before = entries();
    assertThat(before).extracting(Index.Entry::id).containsExactly(6, 7);

    assertThat(index("--add", "5").out()).contains("dataset 5 'same' was replaced by dataset 6: not listed\n");
    assertThat(entries()).isEqualTo(before);
    assertThat(index("--build").out()).contains("dataset 5 'same' was replaced by dataset 6: its map and 8 files",
        "dataset 5 'same' was replaced by dataset 6: not listed\n");
    assertThat(map).hasBinaryContent(good);
    assertThat(entries()).isEqualTo(before);
    assertThat(paths.dataset(5)).isDirectoryNotContaining("glob:**summary*");
  }

  @Test
  void filesThatAPublishedDatasetHasLostSinceAreMadeAgainOrItIsNotValidAnyMore() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    assertThat(index("--add", "6").exit()).isZero();
    List<Index.Entry> whole = entries();
    for (String command : List.of("--add=6", "--build")) {
      byte[] good = Files.readAllBytes(paths.file("b.6/b.2"));
      Files.delete(paths.file("b.6/b.2"));
      assertThat(index(command)).isEqualTo(new CliRun(0, "dataset 6 'b.6': rank 2: " + paths.file("b.6/b.2")
          + " is missing\ndataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB; rebuilt rank 2\n", ""));
      assertThat(Files.readAllBytes(paths.file("b.6/b.2"))).isEqualTo(good);
      assertThat(entries()).isEqualTo(whole);
      assertThat(paths.dataset(6).resolve("rank.0/b.0")).doesNotExist();
    }

    Map<Path, byte[]> lost = new HashMap<>();
    for (String file : List.of("b.6/b.1", "b.6/b.2")) {
      lost.put(paths.file(file), Files.readAllBytes(paths.file(file)));
    }
    for (String command : List.of("--add=6", "--build")) {
      Files.delete(paths.file("b.6/b.1"));
      Files.write(paths.file("b.6/b.2"), new byte[3]);
      CliRun ran = index(command);
      assertThat(ran.exit()).isEqualTo(1);
      assertThat(ran.out()).startsWith("dataset 6 'b.6': rank 1: " + paths.file("b.6/b.1") + " is missing\n"
          + "dataset 6 'b.6': rank 2: " + paths.file("b.6/b.2") + " has 3 bytes instead of 1006\n").contains(
              "dataset 6 'b.6' is INVALID: MISSING files of ranks 1-2; UNRECOVERABLE ranks 1-2\n");
      assertThat(index("--list").out()).contains(" 6  ckpt  no ");
      for (Map.Entry<Path, byte[]> file : lost.entrySet()) {
        Files.write(file.getKey(), file.getValue());
      }
      assertThat(index("--add", "6")).returns(0, CliRun::exit);
      assertThat(index("--list").out()).contains(" 6  ckpt  yes ");
    }
  }

  @Test
  void aLostIndexIsToldByWhoLooksAndMadeAgainByWhoChangesIt() throws IOException {
    for (int id = 5; id <= 7; id++) {
      caches.dataset(id, "b." + id);
      caches.copy(id);
    }
    index("--add", "5");
    index("--add", "6");
    Files.delete(paths.index());

    String says = "scr: " + paths.index() + " is missing, although 2 datasets have a summary in " + paths.scr()
        + ": 'scr index --build', or the next run, makes it again\n";
    assertThat(index("--list")).isEqualTo(new CliRun(1, "", says));
    assertThat(index("--verify")).isEqualTo(new CliRun(1, "", says));
    assertThat(paths.index()).doesNotExist();
    assertThat(index("--add", "7").exit()).isZero();
    assertThat(entries()).extracting(Index.Entry::id).containsExactly(5, 6, 7);
    Files.delete(paths.index());
    assertThat(CliRun.of(Map.of(), "scavenge", "--prefix", caches.prefix, "--control", caches.control))
        .returns(0, CliRun::exit).returns(says.replace("2 data", "3 data"), CliRun::err);
    assertThat(index("--current", "b.6").exit()).isZero();
    assertThat(entries()).extracting(Index.Entry::id).containsExactly(5, 6, 7);
  }

  @Test
  void whereThereIsNothingBuildWritesNothing() {
    assertThat(index("--build")).isEqualTo(new CliRun(0, "", ""));
    assertThat(caches.prefix).isEmptyDirectory();
  }

  @Test
  void verifyNamesEveryFileThatDiffersAndTakesItsMarkBackWhenItIsGoodAgain() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    assertThat(index("--verify")).isEqualTo(new CliRun(0, "dataset 6 'b.6': good, 8 files, 4.1 kB\n", ""));

    List<Index.Entry> good = entries();
    byte[] bytes = Files.readAllBytes(paths.file("b.6/b.1"));
    for (int bit = 0; bit < 16; bit++) {
      bytes[bit / 8 * 500] ^= (byte) (1 << bit % 8);
      Files.write(paths.file("b.6/b.1"), bytes);
      assertThat(index("--verify", "b.6")).returns(1, CliRun::exit).extracting(CliRun::out).asString()
          .startsWith("dataset 6 'b.6': rank 1: " + paths.file("b.6/b.1") + " has checksum 0x")
          .endsWith("dataset 6 'b.6': 1 bad of 8 files, 3.0 kB good\n");
      assertThat(entries()).noneMatch(Index.Entry::restartable);
      assertThat(index("--list").out()).contains(" 6  ckpt  failed ");
      bytes[bit / 8 * 500] ^= (byte) (1 << bit % 8);
      Files.write(paths.file("b.6/b.1"), bytes);
      assertThat(index("--verify")).isEqualTo(new CliRun(0, """
          dataset 6 'b.6': no longer marked as failed, restarts use it again
          dataset 6 'b.6': good, 8 files, 4.1 kB
          """, ""));
      assertThat(entries()).isEqualTo(good);
    }
    Files.delete(paths.file("b.6/a.3"));
    assertThat(index("--verify", "b.6").out()).contains("rank 3: " + paths.file("b.6/a.3") + " is missing");
    assertThat(index("--verify", "b.7").err()).isEqualTo("scr: the index has no dataset 'b.7'; its newest are 'b.6'\n");
  }

  @Test
  void verifyLeavesTheMarkOfARunAsItIsAlsoWhereItFindsDamageItself() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    prefixIndex().update(now -> now.markFailed(6, LocalDateTime.of(2026, 1, 2, 3, 4)));
    List<Index.Entry> marked = entries();
    byte[] bytes = Files.readAllBytes(paths.file("b.6/b.1"));
    Files.write(paths.file("b.6/b.1"), new byte[bytes.length]);
    assertThat(index("--verify").exit()).isEqualTo(1);
    assertThat(entries()).isEqualTo(marked);

    Files.write(paths.file("b.6/b.1"), bytes);
    assertThat(index("--verify")).isEqualTo(new CliRun(0, """
        dataset 6 'b.6': it is marked as failed by a run, restarts pass it over; to end that:\
         scr index --drop "b.6", then --add 6
        dataset 6 'b.6': good, 8 files, 4.1 kB
        """, ""));
    assertThat(entries()).isEqualTo(marked);
    assertThat(index("--drop", "b.6").exit()).isZero();
    assertThat(index("--add", "6").exit()).isZero();
    assertThat(entries()).allMatch(Index.Entry::restartable);
  }

  @Test
  void aMapThatIsTornOrGoneIsMadeAgainFromTheFilemapsElseTheDatasetIsNotValid() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    for (Path map : List.of(paths.rankMap(6), paths.dataset(6).resolve("rank2file.0.0"))) {
      List<Index.Entry> whole = entries();
      byte[] good = Files.readAllBytes(map);
      for (int length : new int[] {-1, 0, 1, 20, good.length / 2, good.length - 1}) {
        String command = length % 2 == 0 ? "--build" : "--add=6";
        TestCaches.tear(map, good, length);
        assertThat(index(command)).as(command).returns(0, CliRun::exit).extracting(CliRun::out).asString()
            .startsWith("dataset 6 'b.6': ").contains(map.toString())
            .endsWith("; the map was made again from the filemaps of its ranks\n"
                + "dataset 6 'b.6' is in the index, whole: 8 files, 4.1 kB\n");
        assertThat(Files.readAllBytes(map)).isEqualTo(good);
        assertThat(entries()).isEqualTo(whole);
        assertThat(index("--verify")).returns(0, CliRun::exit);
      }
      Path filemap = paths.dataset(6).resolve("2.scrfilemap");
      byte[] filemapBytes = Files.readAllBytes(filemap);
      for (String command : List.of("--build", "--add=6")) {
        Files.delete(filemap);
        TestCaches.tear(map, good, 20);
        CliRun ran = index(command);
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out() + ran.err()).contains(map.toString(),
            "; only 3 of its 4 ranks have a filemap to make it again from. Its files are where they were, but nobody"
                + " knows which rank has which", "dataset 6 'b.6' has no map that can be read: not valid any more\n");
        assertThat(entries()).noneMatch(Index.Entry::restartable);
        Files.write(filemap, filemapBytes);
        assertThat(index(command)).returns(0, CliRun::exit);
        assertThat(entries()).allMatch(Index.Entry::restartable);
      }
    }
  }

  @Test
  void whereTheIndexIsMadeAgainItIsSaidThatDecisionsAreForgotten() throws IOException {
    String forgotten = "only the index knew which datasets were dropped: those are listed again; which one was current:"
        + " the newest is now; and which had failed\n";
    for (int id = 5; id <= 7; id++) {
      caches.dataset(id, "b." + id);
      caches.copy(id);
    }
    for (boolean torn : new boolean[] {false, true}) {
      for (List<Object> command : List.of(List.<Object>of("--build"), List.<Object>of("--add", "6"),
          List.<Object>of("--drop", "b.5"))) {
        assertThat(index("--build").exit()).isZero();
        index("--drop", "b.7");
        index("--current", "b.5");
        if (torn) {
          Files.write(paths.index(), new byte[20]);
          assertThat(index("--list").err()).contains(forgotten);
        } else {
          Files.delete(paths.index());
        }
        CliRun ran = index(command.toArray());
        assertThat(ran.exit()).isZero();
        assertThat(ran.out() + ran.err()).as(command + ", torn: " + torn).containsOnlyOnce(forgotten);
        assertThat(entries()).extracting(Index.Entry::id).contains(7);
        assertThat(prefixIndex().read().index().current()).hasValue("b.7");
      }
    }
  }

  @Test
  void verifySaysWhichFilesHaveNothingToBeComparedWith() throws IOException {
    caches.dataset(6, "b.6");
    caches.copy(6);
    index("--add", "6");
    Path part = paths.dataset(6).resolve("rank2file.0.0");
    RankFileMap.Leaf leaf = (RankFileMap.Leaf) RankFileMapFile.decode(Files.readAllBytes(part));
    Files.write(part, RankFileMapFile.encode(new RankFileMap.Leaf(leaf.ranks(), leaf.entries().stream().map(rank ->
        new RankFileMap.RankEntry(rank.rank(), rank.files().stream().map(file -> new RankFileMap.FlushedFile(
            file.path(), file.bytes(), OptionalInt.empty(), List.of())).toList())).toList())));

    assertThat(index("--verify")).isEqualTo(new CliRun(0, """
        dataset 6 'b.6': 8 files without a checksum, not compared, such as b.6/a.0
        dataset 6 'b.6': nothing differs in 8 files, 4.1 kB
        """, ""));
  }

  @Test
  void aWrongNumberOrNothingScavengedIsRefused() {
    assertThat(index("--add", "x")).isEqualTo(new CliRun(2, "",
        "scr: 'x' is neither a dataset's number, nor its directory scr.dataset.<number>, nor the name of one that is"
            + " published\n"));
    assertThat(index("--add", "9")).returns(1, CliRun::exit).extracting(CliRun::err).asString()
        .startsWith("scr: dataset 9: no rank filemaps in ");
  }

  private List<Index.Entry> entries() {
    return prefixIndex().read().index().entries();
  }

  private PrefixIndex prefixIndex() {
    return new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
  }

  private CliRun index(Object... arguments) {
    return CliRun.index(caches.prefix, arguments);
  }
}
