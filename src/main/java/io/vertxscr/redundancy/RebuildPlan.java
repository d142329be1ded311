package io.vertxscr.redundancy;

import io.vertxscr.coding.ReedSolomon;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ParityLayout;
import io.vertxscr.placement.Protection;
import io.vertxscr.redundancy.range.RangeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plan for the rebuild of one lost rank.
 *
 * @param header of a survivor that describes the rank's files: one of its right neighbours
 * @param rank the lost one
 * @param filesNodes where each member's files are, in the order of the set; empty strings if no node has them, as for
 *     the rank itself
 * @param redundancyNodes the same of the redundancy files
 */
public record RebuildPlan(
    RedundancyHeader header, Scheme scheme, int rank, List<String> filesNodes, List<String> redundancyNodes) {
  /**
   * @throws ScrException TOO_MANY_LOST, CORRUPT if the header does not describe the rank's files with their checksums
   */
  public RebuildPlan {
    RedundancySet set = header.set();
    int member = set.memberOf(rank);
    if (filesNodes.size() != set.size() || redundancyNodes.size() != set.size()) {
      throw new ScrException(Fault.INTERNAL, filesNodes.size() + " nodes for redundancy set " + set.ranks());
    }
    List<String> files = new ArrayList<>(filesNodes);
    files.set(member, "");
    filesNodes = List.copyOf(files);
    redundancyNodes = List.copyOf(redundancyNodes);
    if (!Protection.replaces(scheme, set, rank, has(set, filesNodes), has(set, redundancyNodes))) {
      throw new ScrException(Fault.TOO_MANY_LOST, "dataset " + header.descriptor().id() + ": of redundancy set "
          + set.ranks() + " the files of ranks " + lacking(set, filesNodes) + " and the redundancy files of ranks "
          + lacking(set, redundancyNodes) + " are lost, which " + scheme + " cannot replace");
    }
    if (!files(header, rank).files().stream().map(FileMeta::crc).allMatch(OptionalInt::isPresent)) {
      throw new ScrException(Fault.CORRUPT, "redundancy header of rank " + header.current().rank()
          + " lacks checksums of rank " + rank);
    }
  }

  /**
   * The plan where files and redundancy of each member are on one node.
   *
   * @param lost all ranks of which nothing can be used, this one or others
   * @param nodes of the members, in the order of the set; those of lost ones do not matter
   */
  public static RebuildPlan of(
      RedundancyHeader header, Scheme scheme, int rank, Set<Integer> lost, List<String> nodes) {
    List<Integer> ranks = header.set().ranks();
    List<String> left = IntStream.range(0, nodes.size())
        .mapToObj(member -> ranks.get(member) == rank || lost.contains(ranks.get(member)) ? "" : nodes.get(member))
        .toList();
    return new RebuildPlan(header, scheme, rank, left, left);
  }

  private static IntPredicate has(RedundancySet set, List<String> nodes) {
    return rank -> !nodes.get(set.memberOf(rank)).isEmpty();
  }

  private static List<Integer> lacking(RedundancySet set, List<String> nodes) {
    return set.ranks().stream().filter(rank -> nodes.get(set.memberOf(rank)).isEmpty()).toList();
  }

  /** The lost files, with the checksums they had. */
  public RankFiles files() {
    return files(header, rank);
  }

  /** The lost logical file, from its begin to its end. */
  List<Stretch> stretches() {
    return switch (scheme) {
      case SINGLE -> throw new AssertionError("SINGLE replaces nothing");
      case PARTNER -> List.of(copy());
      case XOR, RS -> {
        var layout = new ParityLayout(header.set().size(), header.set().failures(), header.chunkBytes());
        yield IntStream.range(0, layout.members() - layout.failures())
            .mapToObj(segment -> stretch(layout, segment)).toList();
      }
    };
  }

  /** The copy that the nearest neighbour still has, behind the copies of its other neighbours. */
  private Stretch copy() {
    RedundancySet set = header.set();
    int holder = Protection.describers(set, rank).stream().filter(has(set, redundancyNodes)::test).findFirst()
        .orElseThrow();
    long offset = 0;
    for (int distance = 1; set.left(holder, distance) != rank; distance++) {
      offset += files(header, set.left(holder, distance)).bytes();
    }
    long bytes = files().bytes();
    return new Stretch(0, bytes, List.of(Term.plain(redundancy(set.memberOf(holder), offset, bytes))));
  }

  /**
   * Sum for a lost segment. It has as many parity rows as the stripe lacks segments, minus the other members'
   * contributions.
   */
  private Stretch stretch(ParityLayout layout, int segment) {
    RedundancySet set = header.set();
    int member = set.memberOf(rank);
    int stripe = layout.stripeAt(member, segment);
    long bytes = layout.bytesIn(segment, files().bytes());
    int[] lost = IntStream.range(0, layout.members())
        .filter(m -> layout.hasData(m, stripe) && filesNodes.get(m).isEmpty()).toArray();
    int[] rows = IntStream.range(0, layout.failures())
        .filter(row -> !redundancyNodes.get(layout.holder(stripe, row)).isEmpty()).limit(lost.length).toArray();
    var code = new ReedSolomon(layout.members(), layout.failures());
    int[] factors = code.solve(rows, lost)[Arrays.binarySearch(lost, member)];
    List<Term> terms = new ArrayList<>();
    for (int i = 0; i < rows.length; i++) {
      terms.add(new Term(
          redundancy(layout.holder(stripe, rows[i]), rows[i] * layout.chunkBytes(), bytes), List.of(factors[i])));
    }
    for (int other = 0; other < layout.members(); other++) {
      if (layout.hasData(other, stripe) && !filesNodes.get(other).isEmpty()) {
        terms.add(new Term(new RangeRequest(filesNodes.get(other), header.descriptor().id(), set.ranks().get(other),
            RangeRequest.RangeKind.FILES, layout.offset(other, stripe), bytes),
            List.of(code.contribution(rows, factors, other))));
      }
    }
    return new Stretch(segment * layout.chunkBytes(), bytes,
        terms.stream().filter(term -> term.factors().getFirst() != 0).toList());
  }

  private RangeRequest redundancy(int member, long offset, long bytes) {
    return new RangeRequest(redundancyNodes.get(member), header.descriptor().id(), header.set().ranks().get(member),
        RangeRequest.RangeKind.REDUNDANCY, offset, bytes);
  }

  private static RankFiles files(RedundancyHeader header, int rank) {
    return Stream.concat(Stream.of(header.current()), header.partners().stream())
        .filter(files -> files.rank() == rank).findFirst()
        .orElseThrow(() -> new ScrException(Fault.CORRUPT, "redundancy header of rank " + header.current().rank()
            + " does not describe the files of rank " + rank));
  }
}
