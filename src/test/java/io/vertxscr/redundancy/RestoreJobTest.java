package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: wrong bytes never become a file. Method: every stream of a rebuild and of a move is wrong once, in every
 * kilobyte.
 */
@Execution(ExecutionMode.CONCURRENT)
class RestoreJobTest {
  @TempDir
  Path root;

  @Test
  void namesTheFileAndLeavesNothingWhenAnySourceDeliversAWrongBit() {
    for (Scheme scheme : List.of(Scheme.XOR, Scheme.PARTNER, Scheme.RS)) {
      var nodes = protectedSet(scheme);
      int rank = 5;
      var plan = RebuildPlan.of(nodes.header(8), scheme, rank, Set.of(rank), nodes.nodes);
      nodes.store(rank).evict(TestNodes.ID);
      int ranges = plan.stretches().stream().mapToInt(stretch -> stretch.terms().size()).sum();
      for (int range = 0; range < ranges; range++) {
        for (int at = 0; at < 3; at++) {
          var wrong = new WrongSource(nodes, range, at);
          var job = RestoreJob.rebuild(plan, wrong, nodes.directory(rank));
          assertThatThrownBy(at == 1 ? () -> inParts(job) : job::run).as("%s range %d part %d", scheme, range, at)
              .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
              .hasMessageContaining("rank 5").hasMessageContaining("rank.5/f");
          assertThat(nodes.content(rank)).isEmpty();
        }
      }
      assertThat(RestoreJob.rebuild(plan, nodes, nodes.directory(rank)).run()).isEqualTo(nodes.layout(rank));
    }
  }

  /** In the order in which they are opened otherwise, too. */
  private static void inParts(RestoreJob job) {
    try (DividedRestore divided = job.divided(Long.MAX_VALUE)) {
      divided.parts().forEach(Runnable::run);
      divided.finish();
    }
  }

  @Test
  void movesFilesAndChecksThem() {
    var nodes = protectedSet(Scheme.XOR);
    Path elsewhere = root.resolve("elsewhere/scr.dataset.7");
    RankFiles files = nodes.layout(5);
    var wrong = RestoreJob.move(TestNodes.ID, files, "n5", new WrongSource(nodes, 0, 1), elsewhere);
    assertThatThrownBy(wrong::run)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
    assertThat(elsewhere.resolve("rank.5")).doesNotExist();
    assertThat(RestoreJob.move(TestNodes.ID, files, "n5", nodes, elsewhere).run()).isEqualTo(files);
    for (FileMeta file : files.files()) {
      assertThat(elsewhere.resolve(file.name())).hasSameBinaryContentAs(nodes.directory(5).resolve(file.name()));
    }
  }

  @Test
  void replacesABadFileOnlyByAGoodOne() throws Exception {
    var nodes = protectedSet(Scheme.XOR);
    Path file = nodes.directory(5).resolve("rank.5/f0.ckpt");
    byte[] good = Files.readAllBytes(file);
    Files.write(file, new byte[] {1, 2, 3});
    var plan = RebuildPlan.of(nodes.header(8), Scheme.XOR, 5, Set.of(5), nodes.nodes);
    assertThatThrownBy(() -> RestoreJob.rebuild(plan, new WrongSource(nodes, 0, 0), nodes.directory(5)).run());
    assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
    RestoreJob.rebuild(plan, nodes, nodes.directory(5)).run();
    assertThat(file).hasBinaryContent(good);
  }

  @Test
  void refusesAHeaderThatDoesNotDescribeTheLostFiles() {
    var nodes = protectedSet(Scheme.XOR);
    assertThatThrownBy(() -> RebuildPlan.of(nodes.header(2), Scheme.XOR, 5, Set.of(5), nodes.nodes))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
        .hasMessageContaining("rank 5");
  }

  private TestNodes protectedSet(Scheme scheme) {
    var nodes = new TestNodes(root.resolve(scheme.name()), scheme, 4);
    nodes.set.ranks().forEach(rank -> nodes.write(rank, new int[] {900_001, 0, 300_007}, new Random(rank)));
    nodes.protect();
    return nodes;
  }

  /** Flips one bit: in the first, a middle or the last byte of a later range. */
  private static final class WrongSource implements RangeSource {
    private final RangeSource source;
    private final int part;
    private int countdown;

    WrongSource(RangeSource source, int range, int part) {
      this.source = source;
      this.countdown = range;
      this.part = part;
    }

    @Override
    public RangeStream open(RangeRequest request) {
      RangeStream stream = source.open(request);
      long wrongAt = countdown-- == 0 ? List.of(0L, request.bytes() / 2, request.bytes() - 1).get(part) : -1;
      return new RangeStream() {
        private long at;

        @Override
        public void read(ByteBuffer into) {
          int begin = into.position();
          int bytes = into.remaining();
          stream.read(into);
          if (wrongAt >= at && wrongAt < at + bytes) {
            int index = begin + (int) (wrongAt - at);
            into.put(index, (byte) (into.get(index) ^ 4));
          }
          at += bytes;
        }

        @Override
        public void close() {
          stream.close();
        }
      };
    }
  }
}
