package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.DirectRanges;
import io.vertxscr.redundancy.range.Layouts;
import io.vertxscr.redundancy.range.RangeRequest.RangeKind;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.redundancy.range.RoutedRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a range is the same bytes by every way it is read, and what is not there is refused by name. */
class RangesTest {
  @TempDir
  Path root;

  private TestNodes nodes;

  @BeforeEach
  void protect() {
    nodes = new TestNodes(root, Scheme.XOR, 3);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {30, 0, 12}, new Random(rank)));
    nodes.protect();
  }

  @Test
  void readsTheSameBytesFromItsNodeAndByPath() throws IOException {
    byte[] whole = Arrays.copyOf(Files.readAllBytes(nodes.directory(5).resolve("rank.5/f0.ckpt")), 50);
    System.arraycopy(Files.readAllBytes(nodes.directory(5).resolve("rank.5/f2.ckpt")), 0, whole, 30, 12);
    DirectRanges direct = direct(Fault.CORRUPT);
    for (int from = 0; from <= 50; from++) {
      var request = new RangeRequest("n5", TestNodes.ID, 5, RangeKind.FILES, from, 50 - from);
      assertThat(read(nodes, request, 7)).isEqualTo(Arrays.copyOfRange(whole, from, 50));
      assertThat(read(direct, request, 11)).isEqualTo(Arrays.copyOfRange(whole, from, 50));
    }
  }

  @Test
  void readsTheRedundancyBehindItsHeaderAndNothingBehindItsEnd() throws IOException {
    Path file = nodes.directory(5).resolve(nodes.redundancyName(5));
    byte[] bytes = Files.readAllBytes(file);
    int chunk = (int) nodes.header(5).chunkBytes();
    for (int from = 0; from <= chunk; from++) {
      var request = new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, from, chunk - from);
      for (RangeSource source : List.of(nodes, direct(Fault.CORRUPT))) {
        assertThat(read(source, request, 4))
            .isEqualTo(Arrays.copyOfRange(bytes, bytes.length - chunk + from, bytes.length));
      }
    }
    var behind = new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, chunk + 1);
    assertFault(Fault.CORRUPT, nodes, behind);
    assertFault(Fault.CORRUPT, direct(Fault.CORRUPT), behind);
    Files.write(file, new byte[100]);
    assertFault(Fault.CORRUPT, nodes, new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, 1));
    Files.write(file, Arrays.copyOf(bytes, 30));
    assertFault(Fault.CORRUPT, nodes, new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, 1));
    Files.delete(file);
    assertFault(Fault.IO, nodes, new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, 1));
  }

  @Test
  void refusesWhatIsNotThereByItsName() {
    assertFault(Fault.NO_SUCH_DATASET, nodes, new RangeRequest("n5", 8, 5, RangeKind.FILES, 0, 1));
    assertFault(Fault.UNKNOWN_RANK, nodes, new RangeRequest("n5", TestNodes.ID, 2, RangeKind.FILES, 0, 1));
    nodes.store(5).evict(TestNodes.ID);
    nodes.write(5, new int[] {1}, new Random(1));
    assertFault(Fault.NO_SUCH_FILE, nodes, new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, 1));
  }

  @Test
  void saysWhetherAFileOfAnotherLengthChangedOrIsCorrupt() throws IOException {
    var request = new RangeRequest("n5", TestNodes.ID, 5, RangeKind.FILES, 0, 1);
    Files.write(nodes.directory(5).resolve("rank.5/f0.ckpt"), new byte[3]);
    assertFault(Fault.CORRUPT, nodes, request);
    assertFault(Fault.FILE_CHANGED, direct(Fault.FILE_CHANGED), request);
    nodes.store(5).evict(TestNodes.ID);
    nodes.write(5, new int[] {30}, new Random(5));
    Files.write(nodes.directory(5).resolve("rank.5/f0.ckpt"), new byte[3]);
    assertFault(Fault.FILE_CHANGED, nodes, request);
  }

  @Test
  void takesTheShortestWay() {
    List<String> asked = new ArrayList<>();
    RangeSource local = request -> note(asked, "local", request);
    RangeSource peers = request -> note(asked, "peers", request);
    var routed = new RoutedRanges("n2", local, direct(Fault.CORRUPT), peers);
    for (RangeRequest request : List.of(
        new RangeRequest("n2", TestNodes.ID, 2, RangeKind.REDUNDANCY, 0, 1),
        new RangeRequest("n5", TestNodes.ID, 5, RangeKind.FILES, 0, 1),
        new RangeRequest("n5", TestNodes.ID, 5, RangeKind.REDUNDANCY, 0, 1),
        new RangeRequest("n5", TestNodes.ID, 8, RangeKind.REDUNDANCY, 0, 1),
        new RangeRequest("n5", 9, 5, RangeKind.FILES, 0, 1),
        new RangeRequest("n8", TestNodes.ID, 8, RangeKind.FILES, 0, 1))) {
      routed.open(request).close();
    }
    assertThat(asked).containsExactly("local n2 REDUNDANCY 7", "peers n5 REDUNDANCY 7", "peers n5 FILES 9",
        "peers n8 FILES 7");
  }

  @Test
  void refusesRangesThatAreNone() {
    for (long[] range : new long[][] {{-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}}) {
      assertThatThrownBy(() -> new RangeRequest("n5", 7, 5, RangeKind.FILES, range[0], range[1]))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
    }
  }

  /** By path on node n5 alone, of the protected dataset alone, and only the redundancy of rank 5. */
  private DirectRanges direct(Fault ifDifferent) {
    return new DirectRanges(Set.of("n5"), new Layouts() {
      @Override
      public Optional<RankFiles> of(int id, int rank) {
        return id == TestNodes.ID ? Optional.of(nodes.layout(rank)) : Optional.empty();
      }

      @Override
      public Optional<Path> directory(int id, String node) {
        return Optional.of(nodes.directory(5));
      }

      @Override
      public Optional<String> redundancy(int id, int rank) {
        return id == TestNodes.ID && rank == 5 ? Optional.of(nodes.redundancyName(5)) : Optional.empty();
      }
    }, ifDifferent);
  }

  private RangeStream note(List<String> asked, String who, RangeRequest request) {
    asked.add(who + " " + request.node() + " " + request.kind() + " " + request.datasetId());
    return nodes.open(new RangeRequest("n2", TestNodes.ID, 2, RangeKind.FILES, 0, 0));
  }

  private static byte[] read(RangeSource source, RangeRequest request, int step) {
    ByteBuffer into = ByteBuffer.allocate((int) request.bytes());
    try (RangeStream stream = source.open(request)) {
      while (into.position() < into.capacity()) {
        stream.read(into.limit(Math.min(into.capacity(), into.position() + step)));
      }
    }
    return into.array();
  }

  private static void assertFault(Fault fault, RangeSource source, RangeRequest request) {
    assertThatThrownBy(() -> read(source, request, 100))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }
}
