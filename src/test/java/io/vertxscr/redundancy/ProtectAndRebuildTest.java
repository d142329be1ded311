package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.storage.FileChecks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: every loss within the tolerance is rebuilt bit by bit; one more is refused without a change. Method: for EVERY
 * subset of members up to tolerance + 1: encode, seal, lose, rebuild, every second member in parts, the last one first,
 * encode again, compare all bytes. With files of several pieces the subsets of as many as are tolerated, and one more.
 */
@Execution(ExecutionMode.CONCURRENT)
class ProtectAndRebuildTest {
  private static final int[][] SHAPES = {
      {}, {0}, {1}, {7919}, {0, 13, 0, 0, 1009, 1, 0}, {700_001, 3}};

  /** From this one on members have files of several pieces. */
  private static final int LARGE = 5;

  private static final long PART_BYTES = 30_011;

  @TempDir
  Path root;

  static Stream<Arguments> sets() {
    return Stream.of(Scheme.XOR, Scheme.PARTNER, Scheme.RS).flatMap(scheme -> IntStream.rangeClosed(2, 5).boxed()
        .flatMap(size -> failures(scheme, size).boxed().flatMap(k -> IntStream.rangeClosed(0, SHAPES.length + 1)
            .mapToObj(shape -> Arguments.of(scheme, size, k, shape)))));
  }

  private static IntStream failures(Scheme scheme, int size) {
    return scheme == Scheme.XOR ? IntStream.of(1) : IntStream.range(1, size);
  }

  /** Shape of a member's files. The same for all, or, in the last two cases, falling and rising with the member. */
  private static int[] shape(int shape, int member) {
    int moving = shape == SHAPES.length ? member * 5 + 4 : member + 2;
    return SHAPES[shape < SHAPES.length ? shape : moving % SHAPES.length];
  }

  @ParameterizedTest(name = "{0} of {1} members, {2} failures, files {3}")
  @MethodSource("sets")
  void rebuildsEveryLossItPromisesAndRefusesTheNextBigger(
      Scheme scheme, int size, int failures, int shape) {
    var nodes = new TestNodes(root, scheme, size, failures);
    var random = new Random(shape);
    for (int i = 0; i < size; i++) {
      nodes.write(nodes.set.ranks().get(i), shape(shape, i), random);
    }
    nodes.protect();
    Map<Integer, Map<String, byte[]>> before = contents(nodes);
    Map<Integer, RedundancyHeader> headers = new HashMap<>();
    nodes.set.ranks().forEach(rank -> headers.put(rank, nodes.header(rank)));
    for (int rank : nodes.set.ranks()) {
      nodes.layout(rank).files().forEach(file ->
          assertThat(FileChecks.problem(nodes.directory(rank), file)).isEmpty());
    }
    for (Set<Integer> lost : losses(nodes.set, shape < LARGE ? 1 : failures, failures + 1)) {
      lost.forEach(rank -> nodes.store(rank).evict(TestNodes.ID));
      if (refused(nodes.set, scheme, lost)) {
        checkRefusal(nodes, headers, before, lost);
        // Gives the lost files back, so that the next subset finds a whole set.
        lost.forEach(rank -> restoreFrom(before, nodes, rank));
      } else {
        lost.forEach(rank -> rebuild(nodes, rank, lost));
        lost.forEach(nodes::registerAgain);
        lost.forEach(nodes::protectAgain);
        assertSame(contents(nodes), before, "after the loss of " + lost);
      }
    }
  }

  private static void rebuild(TestNodes nodes, int rank, Set<Integer> lost) {
    int describes = Protection.describers(nodes.set, rank).stream().filter(r -> !lost.contains(r)).findFirst()
        .orElseThrow();
    var plan = RebuildPlan.of(nodes.header(describes), nodes.scheme, rank, lost, nodes.nodes);
    RestoreJob job = RestoreJob.rebuild(plan, nodes, nodes.directory(rank));
    assertThat(nodes.set.memberOf(rank) % 2 == 0 ? job.run() : inParts(job)).isEqualTo(nodes.layout(rank));
  }

  private static RankFiles inParts(RestoreJob job) {
    try (DividedRestore divided = job.divided(PART_BYTES)) {
      divided.parts().reversed().forEach(Runnable::run);
      return divided.finish();
    }
  }

  private static void checkRefusal(TestNodes nodes, Map<Integer, RedundancyHeader> headers,
      Map<Integer, Map<String, byte[]>> before, Set<Integer> lost) {
    Map<Integer, Map<String, byte[]>> untouched = new TreeMap<>(before);
    lost.forEach(rank -> untouched.put(rank, Map.of()));
    for (int rank : lost.stream().filter(r -> isRefused(nodes, lost, r)).toList()) {
      RedundancyHeader header = headers.get(nodes.set.right(rank, 1));
      assertThatThrownBy(() -> RestoreJob.rebuild(
          RebuildPlan.of(header, nodes.scheme, rank, lost, nodes.nodes), nodes, nodes.directory(rank)).run())
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST))
          .hasMessageContaining(lost.toString());
    }
    assertSame(contents(nodes), untouched, "after the refusal of " + lost);
  }

  /** XOR and RS: any more than the set tolerates. PARTNER: a member together with all that keep its copies. */
  private static boolean refused(RedundancySet set, Scheme scheme, Set<Integer> lost) {
    return scheme != Scheme.PARTNER ? lost.size() > set.failures()
        : lost.stream().anyMatch(rank -> lost.containsAll(Protection.describers(set, rank)));
  }

  private static boolean isRefused(TestNodes nodes, Set<Integer> lost, int rank) {
    return nodes.scheme != Scheme.PARTNER || lost.containsAll(Protection.describers(nodes.set, rank));
  }

  private static List<Set<Integer>> losses(RedundancySet set, int least, int most) {
    return IntStream.range(1, 1 << set.size())
        .filter(bits -> Integer.bitCount(bits) >= least && Integer.bitCount(bits) <= most).mapToObj(bits -> {
          Set<Integer> lost = new TreeSet<>();
          IntStream.range(0, set.size()).filter(i -> (bits >> i & 1) != 0).forEach(i -> lost.add(set.ranks().get(i)));
          return lost;
        }).toList();
  }

  private static void restoreFrom(Map<Integer, Map<String, byte[]>> before, TestNodes nodes, int rank) {
    before.get(rank).forEach((name, bytes) -> {
      Path file = nodes.directory(rank).resolve(name);
      try {
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    nodes.save(rank);
  }

  private static Map<Integer, Map<String, byte[]>> contents(TestNodes nodes) {
    Map<Integer, Map<String, byte[]>> contents = new TreeMap<>();
    nodes.set.ranks().forEach(rank -> contents.put(rank, nodes.content(rank)));
    return contents;
  }

  private static void assertSame(Map<Integer, Map<String, byte[]>> is, Map<Integer, Map<String, byte[]>> should,
      String when) {
    is.forEach((rank, files) -> {
      assertThat(files.keySet()).as("rank %d %s", rank, when).isEqualTo(should.get(rank).keySet());
      files.forEach((name, bytes) ->
          assertThat(bytes).as("%s of rank %d %s", name, rank, when).isEqualTo(should.get(rank).get(name)));
    });
  }
}
