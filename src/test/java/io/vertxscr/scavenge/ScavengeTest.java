package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetAssembly.Assembled;
import io.vertxscr.storage.FileStamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: all recoverable data of the surviving caches reach the prefix directory byte by byte. Lost ranks are named, and
 * nothing is changed then.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ScavengeTest {
  private static final int NODES = 4;

  @TempDir
  private Path temp;
  private int made;

  private final class Case {
    final TestCaches caches;
    final PrefixPaths paths;
    final PrefixIndex index;
    final Publication publication;
    final FlushFileStore flushFile;

    Case(Scheme scheme, int ranksPerNode) {
      caches = new TestCaches(temp.resolve("case" + made++), scheme, NODES, ranksPerNode, 1000);
      paths = new PrefixPaths(caches.prefix);
      index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
      publication = new Publication(paths, index);
      flushFile = new FlushFileStore(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
    }

    void copyAll(int id) {
      caches.nodes().forEach(node -> assertThat(new ScavengeCopy(node, id, paths).run().problems()).isEmpty());
    }

    Assembled assemble(int id) {
      return new DatasetAssembly(paths, publication)
          .assemble(id, (descriptor, work) -> flushFile.publish(descriptor, false, work));
    }

    void isWhole(DatasetDescriptor descriptor, String directory) throws IOException {
      for (int rank = 0; rank < caches.ranks(); rank++) {
        for (String file : List.of("a", "b")) {
          assertThat(paths.file(directory + "/" + file + "." + rank))
              .hasBinaryContent(caches.bytes(descriptor.id(), rank, file));
          assertThat(FileStamps.read(paths.file(directory + "/" + file + "." + rank)))
              .isEqualTo(TestCaches.stamp(descriptor.id(), rank, file));
        }
      }
      assertThat(publication.summary(descriptor.id())).hasValue(new Summary(descriptor, true));
      assertThat(new RankMapReader(paths, descriptor.id()).totals()).isEqualTo(descriptor.totals());
      assertThat(DatasetVerification.verify(paths, descriptor.id()).problems()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Scheme.class)
  void everyLossOfNodesThatTheSchemePromisesIsRebuiltAndEveryOtherIsNamed(Scheme scheme) throws IOException {
    for (int lost = 0; lost < 1 << NODES; lost++) {
      BitSet nodes = BitSet.valueOf(new long[] {lost});
      if (nodes.cardinality() == NODES) {
        continue;
      }
      Case one = new Case(scheme, 2);
      DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
      Set<Integer> lostRanks = new TreeSet<>();
      nodes.stream().forEach(node -> {
        one.caches.lose("n" + node);
        lostRanks.addAll(List.of(2 * node, 2 * node + 1));
      });
      one.copyAll(6);

      Assembled assembled = one.assemble(6);
      boolean possible = lostRanks.isEmpty() || one.caches.sets().stream()
          .allMatch(set -> Protection.replaces(scheme, set, lostRanks));
      assertThat(assembled.valid()).as(scheme + " without " + nodes).isEqualTo(possible);
      assertThat(assembled.missing()).containsExactlyElementsOf(lostRanks);
      if (possible) {
        assertThat(assembled.rebuilt()).containsExactlyElementsOf(lostRanks);
        one.isWhole(descriptor, "b.6");
      } else {
        assertThat(assembled.unrecoverable().keySet()).isNotEmpty().isSubsetOf(lostRanks);
        assertThat(one.publication.summary(6)).isEmpty();
        assertThat(one.caches.prefix.resolve("b.6")).doesNotExist();
      }
    }
  }

  @Test
  void everySingleDamagedFileIsMadeUpForByTheOthers() throws IOException {
    int files = 3;                                        // of each rank: two of its own, one of redundancy
    for (int rank = 0; rank < NODES; rank++) {
      for (int file = 0; file < files; file++) {
        for (boolean inCache : new boolean[] {true, false}) {
          Case one = new Case(Scheme.XOR, 1);
          DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
          String name = List.of("rank." + rank + "/a." + rank, "rank." + rank + "/b." + rank,
              (inCache ? ".scr/g1/" : "") + (rank + 1) + "_of_4_in_0.xor").get(file);
          if (inCache) {
            flip(one.caches.directory("n" + rank, 6).resolve(name));
          }
          for (NodeCache node : one.caches.nodes()) {
            int problems = new ScavengeCopy(node, 6, one.paths).run().problems().size();
            assertThat(problems).isEqualTo(inCache && file < 2 && node.node().equals("n" + rank) ? 1 : 0);
          }
          if (!inCache) {
            Files.delete(one.paths.dataset(6).resolve(name));
          }
          Assembled assembled = one.assemble(6);
          assertThat(assembled.valid()).isTrue();
          assertThat(assembled.rebuilt()).isEqualTo(file < 2 ? List.of(rank) : List.of());
          one.isWhole(descriptor, "b.6");
        }
      }
    }
  }

  @Test
  void aSurvivorThatIsDamagedUnseenMakesNoWrongFile() throws IOException {
    for (String damaged : List.of("rank.0/b.0", "1_of_4_in_0.xor")) {
      Case one = new Case(Scheme.XOR, 1);
      one.caches.dataset(6, "b.6");
      one.caches.lose("n2");
      one.copyAll(6);
      flip(one.paths.dataset(6).resolve(damaged));

      Assembled assembled = one.assemble(6);
      assertThat(assembled.valid()).isFalse();
      assertThat(assembled.unrecoverable()).containsKey(2);
      assertThat(assembled.problems()).anyMatch(problem -> problem.contains(damaged) && problem.contains("checksum"));
      assertThat(one.publication.summary(6)).isEmpty();
    }
  }

  /** Both nodes have lost a file of it: its two redundancy files do not make up for that. */
  @Test
  void aRankWithRedundancyOfTwoNodesLacksTheFileThatNoneOfThemHas() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
    one.caches.twice(6, 1, "n2");
    for (String node : List.of("n1", "n2")) {
      Files.delete(one.caches.directory(node, 6).resolve("rank.1/a.1"));
    }
    one.caches.nodes().forEach(node -> new ScavengeCopy(node, 6, one.paths).run());
    assertThat(one.paths.dataset(6).resolve("1/2_of_4_in_0.xor")).exists();

    assertThat(one.assemble(6)).returns(true, Assembled::valid).returns(List.of(1), Assembled::rebuilt);
    one.isWhole(descriptor, "b.6");
  }

  @Test
  void whatOneOfTwoNodesHasOfARankIsTaken() throws IOException {
    for (String damaged : List.of("n1", "n2")) {
      Case one = new Case(Scheme.SINGLE, 1);
      DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
      one.caches.twice(6, 1, "n2");
      flip(one.caches.directory(damaged, 6).resolve("rank.1/a.1"));
      one.caches.nodes().forEach(node -> new ScavengeCopy(node, 6, one.paths).run());
      assertThat(one.assemble(6).valid()).isTrue();
      one.isWhole(descriptor, "b.6");
    }
  }

  @Test
  void aDatasetThatHasLostItsRedundancyOnlyIsPublished() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
    for (int rank = 0; rank < NODES; rank++) {
      Files.delete(one.caches.directory("n" + rank, 6).resolve(".scr/g1/" + (rank + 1) + "_of_4_in_0.xor"));
    }
    one.caches.nodes().forEach(node -> new ScavengeCopy(node, 6, one.paths).run());
    assertThat(one.assemble(6)).returns(true, Assembled::valid).returns(List.of(), Assembled::rebuilt);
    one.isWhole(descriptor, "b.6");
  }

  @Test
  void filemapsThatDoNotHaveAllFilesMoveNone() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    one.caches.dataset(6, "b.6");
    one.copyAll(6);
    Path filemap = one.paths.dataset(6).resolve("1.scrfilemap");
    RankFilemap map = RankFilemapFile.decode(Files.readAllBytes(filemap));
    Files.write(filemap, RankFilemapFile.encode(new RankFilemap(map.descriptor(), map.worldRanks(), 2,
        new RankFiles(1, map.files().files().subList(0, 1)), map.redundancy())));

    assertThatThrownBy(() -> one.assemble(6)).hasMessageContainingAll("has 8 files", "have 7")
        .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.CORRUPT);
    assertThat(one.caches.prefix.resolve("b.6")).doesNotExist();
    assertThat(one.publication.summary(6)).isEmpty();
  }

  @Test
  void aCopyAndAnAssemblyThatAreRepeatedDoNothingTwice() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
    one.copyAll(6);
    Path copied = one.paths.dataset(6).resolve("rank.1/b.1");
    Object inode = Files.getAttribute(copied, "unix:ino");
    one.copyAll(6);
    assertThat(Files.getAttribute(copied, "unix:ino")).isEqualTo(inode);
    assertThat(one.assemble(6).valid()).isTrue();
    assertThat(one.assemble(6)).returns(true, Assembled::valid).returns(List.of(), Assembled::rebuilt);
    one.isWhole(descriptor, "b.6");
  }

  @Test
  void aPublicationThatWasKilledAtAnyFileGoesOn() throws IOException {
    for (int moved = 0; moved <= 2 * NODES; moved++) {
      Case one = new Case(Scheme.XOR, 1);
      DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
      one.caches.lose("n1");
      one.copyAll(6);
      assertThatThrownBy(() -> new DatasetAssembly(one.paths, one.publication).assemble(6, (_, _) -> {
        throw new ScrException(Fault.STOPPING, "killed here");
      })).hasMessage("killed here");
      Files.createDirectories(one.caches.prefix.resolve("b.6"));
      for (int file = 0; file < moved; file++) {
        String name = (file % 2 == 0 ? "a." : "b.") + file / 2;
        Files.move(one.paths.dataset(6).resolve("rank." + file / 2 + "/" + name), one.paths.file("b.6/" + name));
      }

      assertThat(one.assemble(6).valid()).as(moved + " files moved").isTrue();
      one.isWhole(descriptor, "b.6");
    }
  }

  @Test
  void aDatasetThatIsBeingFlushedIsLeftToItsDaemonUnlessThatIsGone() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    DatasetDescriptor descriptor = one.caches.dataset(6, "b.6");
    one.copyAll(6);
    one.flushFile.update(status -> status.put(descriptor, Set.of(Location.CACHE, Location.FLUSHING)));

    assertThatThrownBy(() -> one.assemble(6)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.BUSY)).hasMessageContainingAll("dataset 6 'b.6'", "--take-over");
    assertThat(one.caches.prefix.resolve("b.6")).doesNotExist();

    new DatasetAssembly(one.paths, one.publication)
        .assemble(6, (of, work) -> one.flushFile.publish(of, true, work));
    one.isWhole(descriptor, "b.6");
    assertThat(one.flushFile.read().find(6).orElseThrow().locations())
        .containsExactlyInAnyOrder(Location.CACHE, Location.PFS);
  }

  @Test
  void filesOfALaterDatasetAreNotWrittenOver() throws IOException {
    Case one = new Case(Scheme.XOR, 1);
    one.caches.dataset(6, "b.6", "out");
    DatasetDescriptor later = one.caches.dataset(7, "b.7", "out");
    one.copyAll(7);
    assertThat(one.assemble(7).valid()).isTrue();
    one.publication.enlist(later, LocalDateTime.now());
    one.copyAll(6);

    assertThatThrownBy(() -> one.assemble(6)).hasMessageContainingAll("out/", "later dataset 7 'b.7'");
    one.isWhole(later, "out");
    assertThat(one.publication.summary(6)).isEmpty();
  }

  @Test
  void whereNothingWasScavengedThatIsSaid() {
    Case one = new Case(Scheme.XOR, 1);
    assertThatThrownBy(() -> one.assemble(9)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_DATASET)).hasMessageContaining("dataset 9");
    one.caches.dataset(6, "b.6");
    assertThatThrownBy(() -> new ScavengeCopy(one.caches.nodes().getFirst(), 9, one.paths))
        .hasMessageContaining("node n0 has nothing of dataset 9");
  }

  @Test
  void theScanIsPrintedAsScansOfScrAre() {
    Case one = new Case(Scheme.XOR, 1);
    one.caches.dataset(6, "b.6");
    one.caches.lose("n2");
    one.copyAll(6);
    DatasetScan scan = DatasetScanner.scan(one.paths, 6, DatasetScanner.Depth.BYTES);

    String tree = HashFile.dump(ScanHash.encode(scan, MissingFiles.of(scan)));
    assertThat(tree).startsWith("""
        DLIST
          6
            BUILD
              XOR set 0: rank 2
            INVALID
            MISSING
              2
            DSET
              ID
                6
        """)
        .contains("\n    RANK2FILE\n      RANKS\n        4\n      RANK\n        0\n          FILES\n            3\n")
        .contains("            1_of_4_in_0.xor\n              NOFETCH\n              SIZE\n")
        .contains("\n    XOR\n      0\n        MEMBERS\n          4\n        MEMBER\n          0\n            FILE\n"
            + "              1_of_4_in_0.xor\n            RANK\n              0\n");
    assertThat(IntStream.range(0, NODES).filter(scan::isWhole)).containsExactly(0, 1, 3);
  }

  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
  }
}
