package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetAssembly.Assembled;
import io.vertxscr.scavenge.DatasetScanner.Depth;
import io.vertxscr.scavenge.ScavengeCopy.NodeCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a dataset in containers is scavenged into containers with redundancy, and rebuilt from them. Method: every loss
 * of nodes for every scheme, and a damaged byte at every place in the containers.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PackedScavengeTest {
  private static final int NODES = 4;
  private static final int ID = 6;

  @TempDir
  private Path temp;
  private int made;

  private final class Case {
    final TestCaches caches;
    final PrefixPaths paths;
    final PrefixIndex index;
    final Publication publication;
    final DatasetDescriptor descriptor;

    Case(Scheme scheme) {
      caches = new TestCaches(temp.resolve("case" + made++), scheme, NODES, 2, 1000)
          .flushed(FlushDescriptor.packed(FlushDescriptor.MIN_CONTAINER_BYTES, 1));
      paths = new PrefixPaths(caches.prefix);
      index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
      publication = new Publication(paths, index);
      descriptor = caches.dataset(ID, "b.6");
    }

    List<NodeCopy> copyAll() {
      return caches.nodes().stream().map(node -> new ScavengeCopy(node, ID, paths).run()).toList();
    }

    Assembled assemble() {
      return new DatasetAssembly(paths, publication).assemble(ID, (_, work) -> work.accept(index));
    }

    List<Path> containers() {
      return MetadataFiles.list(paths.dataset(ID).resolve(".scr"), "scavenged.*").stream()
          .flatMap(directory -> MetadataFiles.list(directory, "ctr.*.scr").stream()).toList();
    }

    void isWhole() {
      assertThat(publication.isComplete(ID)).isTrue();
      assertThat(new RankMapReader(paths, ID).totals()).isEqualTo(descriptor.totals());
      var verified = DatasetVerification.verify(paths, ID);
      assertThat(verified.problems()).isEmpty();
      assertThat(verified.unverified()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Scheme.class)
  void everyLossWithinTheToleranceIsRebuiltFromContainers(Scheme scheme) {
    for (int lost = 0; lost < (1 << NODES) - 1; lost++) {
      BitSet nodes = BitSet.valueOf(new long[] {lost});
      Case one = new Case(scheme);
      Set<Integer> lostRanks = new TreeSet<>();
      nodes.stream().forEach(node -> {
        one.caches.lose("n" + node);
        lostRanks.addAll(List.of(2 * node, 2 * node + 1));
      });
      assertThat(one.copyAll()).allSatisfy(copied -> assertThat(copied.problems()).isEmpty());
      assertThat(one.paths.dataset(ID).resolve("rank.0")).doesNotExist();
      Assembled assembled = one.assemble();
      boolean possible = lostRanks.isEmpty() || one.caches.sets().stream()
          .allMatch(set -> Protection.replaces(scheme, set, lostRanks));
      assertThat(assembled.valid()).as(scheme + " without " + nodes).isEqualTo(possible);
      assertThat(assembled.missing()).containsExactlyElementsOf(lostRanks);
      if (possible) {
        assertThat(assembled.rebuilt()).containsExactlyElementsOf(lostRanks);
        one.isWhole();
      } else {
        assertThat(one.publication.summary(ID)).isEmpty();
        assertThat(one.containers()).as("nothing was changed").isNotEmpty();
      }
    }
  }

  @Test
  void aWholeDatasetStaysInItsContainersAndIsPublishedFromThem() {
    Case one = new Case(Scheme.XOR);
    one.copyAll();
    assertThat(one.assemble().problems()).isEmpty();
    one.isWhole();
    assertThat(one.caches.prefix.resolve("b.6")).doesNotExist();
    assertThat(new RankMapReader(one.paths, ID).entries(List.of(3)).getFirst().files().getFirst().segments().getFirst()
        .container()).isEqualTo(".scr/scavenged.n1.0/ctr.0.scr");
  }

  @Test
  void aLostContainerOfAPublishedDatasetIsRebuiltOrItsRanksAreNamed() throws IOException {
    Case measure = new Case(Scheme.XOR);
    measure.copyAll();
    int containers = measure.containers().size();
    int repaired = 0;
    int refused = 0;
    for (int first = 0; first < containers; first++) {
      for (int second = first; second < containers; second++) {
        Case one = new Case(Scheme.XOR);
        one.copyAll();
        one.assemble();
        List<Path> paths = one.containers();
        boolean oneNode = paths.get(first).getParent().equals(paths.get(second).getParent());
        Files.delete(paths.get(first));
        Files.deleteIfExists(paths.get(second));
        Set<Integer> bad = DatasetVerification.look(one.paths, ID).badRanks().keySet();
        boolean possible = bad.isEmpty()
            || MissingFiles.of(DatasetScanner.scan(one.paths, ID, Depth.SIZES)).unrecoverable().isEmpty();
        Assembled assembled = one.assemble();
        String without = "without " + paths.get(first) + " and " + paths.get(second);
        assertThat(possible || !oneNode).as(without).isTrue();
        assertThat(assembled.valid()).as(without).isEqualTo(possible);
        assertThat(assembled.missing()).as(without).containsExactlyElementsOf(bad);
        if (possible) {
          one.isWhole();
          assertThat(assembled.rebuilt()).containsExactlyElementsOf(bad);
          assertThat(one.containers().isEmpty()).as("only redundancy was lost").isEqualTo(!bad.isEmpty());
          assertThat(one.assemble().problems()).isEmpty();
          repaired += bad.size();
        } else {
          assertThat(assembled.unrecoverable().keySet()).containsExactlyElementsOf(bad);
          assertThat(one.containers()).as("nothing was changed").hasSize(containers - 2);
          refused++;
        }
      }
    }
    assertThat(List.of(repaired, refused)).allMatch(times -> times > 0);
  }

  @Test
  void theRepairOfAPublishedContainerGoesOnWhereverItWasKilled() throws IOException {
    for (int kill = 0; kill < 2; kill++) {
      Case one = new Case(Scheme.XOR);
      one.copyAll();
      one.assemble();
      Files.delete(one.containers().getFirst());
      boolean whileCopying = kill == 0;
      if (whileCopying) {
        new Unpacking(one.paths, ID).copyOut();           // killed behind this, or before the map is written
      } else {
        assertThatThrownBy(() -> new DatasetAssembly(one.paths, one.publication).assemble(ID, (_, _) -> {
          throw new ScrException(Fault.STOPPING, "killed");
        })).hasMessage("killed");
      }
      assertThat(one.assemble().valid()).isTrue();
      one.isWhole();
      for (int rank = 0; rank < one.caches.ranks(); rank++) {
        assertThat(one.paths.file("b.6/a." + rank)).hasBinaryContent(one.caches.bytes(ID, rank, "a"));
      }
      assertThat(one.containers()).isEmpty();
    }
  }

  @Test
  void whatIsThereIsNotCopiedAgainAndOneNodesPartMayComeLater() {
    Case one = new Case(Scheme.XOR);
    one.copyAll();
    assertThat(one.copyAll()).allSatisfy(copied -> assertThat(copied.files()).isZero());
    assertThat(one.containers()).allMatch(path -> path.toString().contains(".0/"));
    one.assemble();
    one.isWhole();
  }

  /** Method: the second node's copy is damaged, or nothing is; its redundancy is of another set. */
  @Test
  void ofARankThatTwoNodesHaveTheWholeCopyAndBothRedundancyFilesAreTaken() throws IOException {
    for (String damaged : List.of("", "n0", "n2")) {
      Case one = new Case(Scheme.XOR);
      one.caches.twice(ID, 1, "n2");
      if (!damaged.isEmpty()) {
        flip(one.caches.directory(damaged, ID).resolve("rank.1/b.1"), 3);
      }
      one.copyAll();
      DatasetScan scan = DatasetScanner.scan(one.paths, ID, Depth.BYTES);
      assertThat(scan.missing()).as("damaged on " + damaged).isEmpty();
      assertThat(scan.redundancy()).filteredOn(file -> file.rank() == 1).hasSize(2);
      long bytes = one.copyAll().stream().mapToLong(NodeCopy::bytes).sum();
      assertThat(bytes).as("of a call that is repeated").isEqualTo(0);
      assertThat(one.assemble().rebuilt()).isEmpty();
      one.isWhole();
    }
  }

  @Test
  void aDamagedCachedFileIsLeftOutAndRebuilt() throws IOException {
    Case one = new Case(Scheme.XOR);
    flip(one.caches.directory("n2", ID).resolve("rank.4/a.4"), 3);
    assertThat(one.copyAll().get(2).problems()).hasSize(1);
    Assembled assembled = one.assemble();
    assertThat(assembled.rebuilt()).containsExactly(4);
    one.isWhole();
    assertThat(one.paths.file("b.6/a.4")).hasBinaryContent(one.caches.bytes(ID, 4, "a"));
  }

  @Test
  void aDamagedContainerCountsAsLostAndIsMadeUpForByTheOthers() throws IOException {
    Case measure = new Case(Scheme.XOR);
    measure.copyAll();
    int containers = measure.containers().size();
    for (int i = 0; i < containers; i++) {
      Case one = new Case(Scheme.XOR);
      one.copyAll();
      Files.delete(one.containers().get(i));
      assertThat(DatasetScanner.scan(one.paths, ID, Depth.SIZES).problems()).isNotEmpty();
      assertThat(one.assemble().valid()).as("without container " + i).isTrue();
      one.isWhole();
    }
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 1;
    Files.write(file, bytes);
  }
}
