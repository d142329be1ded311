package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.FileChecks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: redundancy files match other tools' format, and a failure leaves none. */
@Execution(ExecutionMode.CONCURRENT)
class EncodeJobTest {
  @TempDir
  Path root;

  @Test
  void writesTheParityOfThePublishedExample() throws IOException {
    var nodes = new TestNodes(root, Scheme.XOR, 4);
    for (int i = 0; i < 4; i++) {
      nodes.write(nodes.set.ranks().get(i), new int[] {524294 + i}, new Random(i));
    }
    nodes.protect();
    int chunk = 174766;
    for (int member = 0; member < 4; member++) {
      int rank = nodes.set.ranks().get(member);
      byte[] expected = new byte[chunk];
      for (int other = 0; other < 4; other++) {
        byte[] file = Files.readAllBytes(nodes.directory(nodes.set.ranks().get(other))
            .resolve("rank." + nodes.set.ranks().get(other) + "/f0.ckpt"));
        int from = (member < other ? member : member - 1) * chunk;
        for (int i = 0; other != member && i < chunk && from + i < file.length; i++) {
          expected[i] ^= file[from + i];
        }
      }
      Path file = nodes.directory(rank).resolve(".scr/g1/" + (member + 1) + "_of_4_in_2.xor");
      assertThat(RedundancyFiles.readHeader(file).chunkBytes()).isEqualTo(chunk);
      assertThat(payload(file)).isEqualTo(expected);
    }
  }

  @Test
  void describesTheWriterAndItsLeftNeighbour() {
    var nodes = protectedSet(Scheme.XOR, 3);
    for (int rank : nodes.set.ranks()) {
      var header = nodes.header(rank);
      assertThat(header.current()).isEqualTo(nodes.layout(rank));
      assertThat(header.partners()).containsExactly(nodes.layout(nodes.set.left(rank, 1)));
      assertThat(header.set()).isEqualTo(nodes.set);
      assertThat(header.worldRanks()).isEqualTo(nodes.worldRanks);
      assertThat(header.descriptor()).isEqualTo(nodes.descriptor());
    }
  }

  @ParameterizedTest
  @EnumSource
  void tellsEveryChecksumToExactlyTheReaders(Scheme scheme) {
    for (int size = 1; size <= 4; size++) {
      var nodes = new TestNodes(root.resolve("size" + size), scheme, size);
      nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {100 + rank, 0, 600_000 + rank}, new Random(rank)));
      for (int owner : nodes.set.ranks()) {
        Set<Integer> readers = new TreeSet<>();
        List<RangeChecksums> ranges = new ArrayList<>();
        for (int rank : nodes.set.ranks()) {
          try (var job = new EncodeJob(nodes.plan(rank), nodes, nodes.directory(rank).resolve("parity"))) {
            List<RangeChecksums> told = job.run().stream().filter(range -> range.ownerRank() == owner).toList();
            if (!told.isEmpty()) {
              readers.add(rank);
            }
            ranges.addAll(told);
          }
        }
        assertThat(readers).isEqualTo(Protection.readersOf(scheme, nodes.set, owner));
        RankFiles checked = PieceChecksums.combine(nodes.layout(owner), ranges);
        assertThat(checked.files()).allMatch(file -> FileChecks.problem(nodes.directory(owner), file).isEmpty());
      }
    }
  }

  @Test
  void aRedundancyFileIsForItsOwnerAlone() throws IOException {
    var nodes = protectedSet(Scheme.XOR, 2);
    for (int rank : nodes.set.ranks()) {
      assertThat(Files.getPosixFilePermissions(nodes.directory(rank).resolve(nodes.redundancyName(rank))))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void aSetOfOneWritesNothing() {
    var nodes = protectedSet(Scheme.XOR, 1);
    assertThat(nodes.content(2).keySet()).containsExactly("rank.2/f0.ckpt", "rank.2/f1.ckpt");
    assertThat(nodes.layout(2).files()).allMatch(file -> file.crc().isPresent());
  }

  @Test
  void writesTheSameBytesOverARecycledFileWhateverItsSize() throws IOException {
    for (int bytes : new int[] {0, 1, 19, 5000, 2_000_000}) {
      var nodes = new TestNodes(root.resolve("recycled" + bytes), Scheme.XOR, 3);
      nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {3000, 7}, new Random(rank)));
      byte[] old = new byte[bytes];
      new Random(1).nextBytes(old);
      Path file = nodes.directory(2).resolve(nodes.redundancyName(2));
      Files.createDirectories(file.getParent());
      Files.write(file, old);
      nodes.protect();
      assertThat(file).hasSameBinaryContentAs(fresh(bytes).directory(2).resolve(nodes.redundancyName(2)));
    }
  }

  private TestNodes fresh(int name) {
    var nodes = new TestNodes(root.resolve("fresh" + name), Scheme.XOR, 3);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {3000, 7}, new Random(rank)));
    nodes.protect();
    return nodes;
  }

  @Test
  void anUnsealedFileIsNoRedundancyFileEvenWhereASealedOneWasRecycled() throws IOException {
    var nodes = protectedSet(Scheme.XOR, 3);
    Path file = nodes.directory(2).resolve(nodes.redundancyName(2));
    try (var job = new EncodeJob(nodes.plan(2), nodes, file)) {
      job.run();
      assertCorrupt(file);
    }
    assertCorrupt(file);
    assertThat(file).isEmptyFile();
  }

  @ParameterizedTest
  @EnumSource(names = {"XOR", "PARTNER"})
  void refusesFilesThatChangedTheirLength(Scheme scheme) throws IOException {
    for (String change : List.of("longer", "shorter", "gone")) {
      var nodes = new TestNodes(root.resolve(change), scheme, 2);
      nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {1000}, new Random(rank)));
      Path file = nodes.directory(2).resolve("rank.2/f0.ckpt");
      switch (change) {
        case "longer" -> Files.write(file, new byte[1001]);
        case "shorter" -> Files.write(file, new byte[999]);
        default -> Files.delete(file);
      }
      Path target = nodes.directory(5).resolve(nodes.redundancyName(5));
      try (var job = new EncodeJob(nodes.plan(5), nodes, target)) {
        assertThatThrownBy(job::run)
            .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.FILE_CHANGED))
            .hasMessageContaining("rank.2/f0.ckpt").hasMessageContaining("rank 2");
      }
      assertThat(target).isEmptyFile();
    }
  }

  @Test
  void refusesToSealWithChecksumsOfOtherFilesOrNone() {
    var nodes = new TestNodes(root, Scheme.XOR, 2);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {1000}, new Random(rank)));
    Path target = nodes.directory(2).resolve(nodes.redundancyName(2));
    try (var job = new EncodeJob(nodes.plan(2), nodes, target)) {
      job.run();
      List<RankFiles> unknown = List.of(nodes.layout(2), nodes.layout(5));
      assertThatThrownBy(() -> job.seal(unknown)).isInstanceOf(ScrException.class).hasMessageContaining("rank 2");
      assertThatThrownBy(() -> job.seal(List.of())).isInstanceOf(ScrException.class).hasMessageContaining("rank 2");
    }
    assertCorrupt(target);
  }

  /** A node may have a thousand ranks, and fewer files that may be open. */
  @Test
  void aRankOfASetWithoutFilesHasNoFileOpenBeforeItIsSealed() throws IOException {
    var nodes = new TestNodes(root, Scheme.XOR, 3);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[0], new Random(rank)));
    Path target = nodes.directory(2).resolve(nodes.redundancyName(2));
    try (var job = new EncodeJob(nodes.plan(2), nodes, target)) {
      job.run();
      assertThat(target).doesNotExist();
      job.seal(List.of(nodes.layout(2), nodes.layout(8)));
    }
    assertThat(RedundancyHeaderFile.decode(Files.readAllBytes(target)).current()).isEqualTo(nodes.layout(2));
  }

  @Test
  void aLostPeerEndsTheJobAndEveryOtherStreamIsClosed() {
    var nodes = new TestNodes(root, Scheme.XOR, 4);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {3000}, new Random(rank)));
    var failing = new CountingSource(nodes, "n8");
    Path target = nodes.directory(2).resolve(nodes.redundancyName(2));
    try (var job = new EncodeJob(nodes.plan(2), failing, target)) {
      assertThatThrownBy(job::run)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NODE_LOST));
    }
    assertThat(failing.opened).isEqualTo(3);
    assertThat(failing.open).isZero();
    assertCorrupt(target);
  }

  /**
   * The first holder of a stripe computes all rows, the others pull them. B + (k-1) B / (N-k) bytes instead of k B.
   * Each member has B bytes.
   */
  @Test
  void everyMemberOfAReedSolomonSetPullsNoMoreThanItMust() {
    for (int size = 2; size <= 6; size++) {
      for (int failures = 1; failures < size; failures++) {
        int bytes = 60 * (size - failures);
        var nodes = new TestNodes(root.resolve(size + "x" + failures), Scheme.RS, size, failures);
        nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {bytes - 7, 7}, new Random(rank)));
        List<EncodeJob> jobs = new ArrayList<>();
        List<CountingSource> sources = new ArrayList<>();
        List<FinishedParity> finished = new ArrayList<>();
        for (int rank : nodes.set.ranks()) {
          var source = new CountingSource(nodes, "none");
          var job = new EncodeJob(nodes.plan(rank), source, nodes.directory(rank).resolve(nodes.redundancyName(rank)));
          job.run();
          assertThat(source.bytes).as("%d members, %d failures", size, failures).isEqualTo(bytes);
          job.finished().ifPresent(parity -> {
            finished.add(parity);
            nodes.store(rank).lend(TestNodes.ID, rank, job.lent());
          });
          jobs.add(job);
          sources.add(source);
        }
        for (int i = 0; i < size; i++) {
          jobs.get(i).pull(finished, sources.get(i));
          assertThat(sources.get(i).bytes).as("%d members, %d failures", size, failures)
              .isEqualTo(bytes + (failures - 1L) * bytes / (size - failures));
          assertThat(sources.get(i).open).isZero();
          jobs.get(i).close();
        }
      }
    }
  }

  @Test
  void parityThatComesWithOtherBytesThanWereComputedIsRefusedAndSealsNothing() throws IOException {
    var nodes = new TestNodes(root, Scheme.RS, 4);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {3000}, new Random(rank)));
    Path target = nodes.directory(5).resolve(nodes.redundancyName(5));
    try (var other = new EncodeJob(nodes.plan(2), nodes, nodes.directory(2).resolve(nodes.redundancyName(2)));
        var job = new EncodeJob(nodes.plan(5), nodes, target)) {
      other.run();
      job.run();
      List<RankFiles> unchecked = List.of();
      assertThatThrownBy(() -> job.seal(unchecked)).isInstanceOf(ScrException.class).hasMessageContaining("rank");
      List<FinishedParity> finished = List.of(other.finished().orElseThrow());
      assertFault(Fault.NO_SUCH_FILE, () -> job.pull(finished, nodes));
      nodes.store(2).lend(TestNodes.ID, 2, other.lent());
      byte[] bytes = Files.readAllBytes(other.lent());
      bytes[1000] ^= 1;
      Files.write(other.lent(), bytes);
      assertFault(Fault.CORRUPT, () -> job.pull(finished, nodes));
      nodes.store(2).endLoans(TestNodes.ID);
      assertThat(other.lent()).doesNotExist();
    }
    assertCorrupt(target);
  }

  @Test
  void aCopyOfOtherBytesThanTheFirstOneIsNotSealed() throws IOException {
    var nodes = new TestNodes(root, Scheme.PARTNER, 4, 2);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {3000}, new Random(rank)));
    Path target = nodes.directory(8).resolve(nodes.redundancyName(8));
    try (var job = new EncodeJob(nodes.plan(8), nodes, target)) {
      Path file = nodes.directory(2).resolve("rank.2/f0.ckpt");
      byte[] bytes = Files.readAllBytes(file);
      bytes[7] ^= 1;
      Files.write(file, bytes);
      List<RangeChecksums> ranges = new ArrayList<>(job.run());
      bytes[7] ^= 1;
      Files.write(file, bytes);
      List<RankFiles> checked = new ArrayList<>();
      for (int rank : List.of(5, 8, 11)) {
        try (var reader = new EncodeJob(nodes.plan(rank), nodes, root.resolve("copy" + rank))) {
          ranges.addAll(rank == 8 ? List.of() : reader.run());
        }
      }
      nodes.set.ranks().stream().filter(rank -> rank != 11)
          .forEach(rank -> checked.add(PieceChecksums.combine(nodes.layout(rank), ranges)));
      assertFault(Fault.FILE_CHANGED, () -> job.seal(checked));
    }
    assertCorrupt(target);
  }

  private static void assertFault(Fault fault, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault));
  }

  /** Counts its streams; those of one node fail when they are read. */
  private static final class CountingSource implements RangeSource {
    private final RangeSource source;
    private final String lost;
    private int opened;
    private int open;
    private long bytes;

    CountingSource(RangeSource source, String lost) {
      this.source = source;
      this.lost = lost;
    }

    @Override
    public RangeStream open(RangeRequest request) {
      RangeStream stream = source.open(request);
      opened++;
      open++;
      return new RangeStream() {
        @Override
        public void read(ByteBuffer into) {
          if (request.node().equals(lost)) {
            throw new ScrException(Fault.NODE_LOST, "node " + lost);
          }
          bytes += into.remaining();
          stream.read(into);
        }

        @Override
        public void close() {
          open--;
          stream.close();
        }
      };
    }
  }

  private TestNodes protectedSet(Scheme scheme, int size) {
    var nodes = new TestNodes(root, scheme, size);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {1000 + rank, 10}, new Random(rank)));
    nodes.protect();
    return nodes;
  }

  private static void assertCorrupt(Path file) {
    assertThatThrownBy(() -> RedundancyFiles.readHeader(file))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
        .hasMessageContaining(file.toString());
  }

  private static byte[] payload(Path file) throws IOException {
    byte[] whole = Files.readAllBytes(file);
    int header = (int) RedundancyHeaderFile.sizeOf(Arrays.copyOf(whole, 20));
    return Arrays.copyOfRange(whole, header, whole.length);
  }
}
