package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.SequencedSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the trees that the document about scavenging shows are those that are written and printed. Method: the
 * document's own examples, its placeholders filled in; every way from the root to a leaf is compared. Our trees have
 * keys besides, such as the flags of a descriptor, for which its other readers do not look.
 */
class DocumentTreesTest {
  /** The filemap of rank 2. But for PATH, which is relative here: the prefix directory may be moved or renamed. */
  private static final String FILEMAP = """
      DSET
        6
          RANK
            2
      RANK
        2
          DSET
            6
              DSETDESC
                COMPLETE
                  1
                SIZE
                  2097182
                FILES
                  4
                ID
                  6
                NAME
                  scr.dataset.6
                CREATED
                  1312850690668536
                USER
                  user1
                JOBNAME
                  simulation123
                JOBID
                  112573
                CKPT
                  6
              FILES
                2
              FILE
                3_of_4_in_0.xor
                  META
                    RANKS
                      4
                    COMPLETE
                      1
                    SIZE
                      175693
                    TYPE
                      XOR
                    FILE
                      3_of_4_in_0.xor
                    CRC
                      0x2ef519a1
                rank_2.ckpt
                  META
                    COMPLETE
                      1
                    SIZE
                      524296
                    NAME
                      rank_2.ckpt
                    PATH
                      simulation123
                    ORIG
                      rank_2.ckpt
                    RANKS
                      4
                    TYPE
                      FULL
                    FILE
                      rank_2.ckpt
                    CRC
                      0x738bb68f
      """;
  /** After the rank filemaps are merged; of two ranks, each with two files, in one set. */
  private static final String MERGED = """
      DLIST
        6
          DSET
            COMPLETE
              1
            SIZE
              <size>
            FILES
              4
            ID
              6
            NAME
              b.6
            CREATED
              1700000000000006
            USER
              user1
            JOBNAME
              sim
            JOBID
              439
            CKPT
              6
          RANK2FILE
            RANKS
              2
            RANK
              0
                FILES
                  3
                FILE
                  rank.0/b.0
                    SIZE
                      <size>
                    CRC
                      <crc>
                  1_of_2_in_0.xor
                    NOFETCH
                    SIZE
                      <size>
                    CRC
                      <crc>
              1
                FILES
                  3
                FILE
                  rank.1/b.1
                    SIZE
                      <size>
                    CRC
                      <crc>
                  2_of_2_in_0.xor
                    NOFETCH
                    SIZE
                      <size>
                    CRC
                      <crc>
          XOR
            0
              MEMBERS
                2
              MEMBER
                0
                  FILE
                    1_of_2_in_0.xor
                  RANK
                    0
                1
                  FILE
                    2_of_2_in_0.xor
                  RANK
                    1
      """;

  @TempDir
  private Path temp;

  @Test
  void theFilemapOfARankIsTheDocumentsExample() {
    var descriptor = new DatasetDescriptor(6, "scr.dataset.6", DatasetFlags.CHECKPOINT, 6, 1_312_850_690_668_536L,
        new Job("user1", "simulation123", "112573", ""), new DatasetDescriptor.Totals(4, 2_097_182));
    var map = new RankFilemap(descriptor, 4, 2, new RankFiles(2, List.of(
        new FileMeta("rank_2.ckpt", "simulation123/rank_2.ckpt", 524_296, OptionalInt.of(0x738bb68f)))),
        List.of(new RankFilemap.StoredRedundancy("3_of_4_in_0.xor", Scheme.XOR, 175_693, 0x2ef519a1)));
    assertThat(ways(HashFile.dump(RankFilemapFile.encode(map)))).containsAll(ways(FILEMAP));
  }

  @Test
  void theScanHashIsTheDocumentedOneBeforeAndAfterInspection() throws IOException {
    var caches = new TestCaches(temp, Scheme.XOR, 2, 1, 1000);
    caches.dataset(6, "b.6");
    PrefixPaths paths = new PrefixPaths(caches.prefix);
    caches.nodes().forEach(node -> new ScavengeCopy(node, 6, paths).run());

    SequencedSet<String> merged = scan(paths);
    assertThat(merged).containsAll(ways(MERGED));
    assertThat(merged).noneMatch(way -> way.matches("/DLIST/6/(INVALID|MISSING|BUILD|UNRECOVERABLE).*"));

    Files.delete(paths.dataset(6).resolve("rank.1/b.1"));
    SequencedSet<String> invalid = scan(paths);
    assertThat(invalid).contains("/DLIST/6/INVALID", "/DLIST/6/MISSING/1", "/DLIST/6/BUILD/XOR set 0: rank 1")
        .doesNotContain("/DLIST/6/UNRECOVERABLE");
    assertThat(invalid).as("what is there is still shown").containsAll(ways(MERGED).stream()
        .filter(way -> !way.contains("rank.1/b.1") && !way.endsWith("/COMPLETE/1")).toList());

    Files.delete(paths.dataset(6).resolve("rank.0/b.0"));
    Files.delete(paths.dataset(6).resolve("1_of_2_in_0.xor"));
    assertThat(scan(paths)).contains(
        "/DLIST/6/UNRECOVERABLE", "/DLIST/6/INVALID", "/DLIST/6/MISSING/0", "/DLIST/6/MISSING/1");
  }

  private static SequencedSet<String> scan(PrefixPaths paths) {
    DatasetScan scan = DatasetScanner.scan(paths, 6, DatasetScanner.Depth.SIZES);
    return ways(HashFile.dump(ScanHash.encode(scan, MissingFiles.of(scan)))
        .replaceAll("(SIZE\n *)[0-9]+", "$1<size>").replaceAll("0x[0-9a-f]{8}", "<crc>"));
  }

  /** Every way from the root of an indented tree to a leaf; sorted as the tree is. */
  private static SequencedSet<String> ways(String tree) {
    SequencedSet<String> ways = new LinkedHashSet<>();
    List<String> above = new ArrayList<>();
    List<String> lines = tree.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      int level = level(lines.get(i));
      above.subList(level, above.size()).clear();
      above.add(lines.get(i).strip());
      if (i + 1 == lines.size() || level(lines.get(i + 1)) <= level) {
        ways.add("/" + String.join("/", above));
      }
    }
    return ways;
  }

  private static int level(String line) {
    return (line.length() - line.stripLeading().length()) / 2;
  }
}
