package io.vertxscr.redundancy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.XorLayout;
import io.vertxscr.redundancy.range.RangeRequest;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How the files of one lost rank are made again.
 *
 * @param header of a survivor that describes the rank's files: its right neighbour
 * @param rank the lost one
 * @param lost all ranks of which nothing can be used, this one or others
 * @param nodes where each member's files and redundancy are, in the order of the set; those of lost ones do not matter
 */
public record RebuildPlan(RedundancyHeader header, Scheme scheme, int rank, Set<Integer> lost, List<String> nodes) {
  /**
   * @throws ScrException TOO_MANY_LOST, CORRUPT if the header does not describe the rank's files with their checksums
   */
  public RebuildPlan {
    Set<Integer> all = new HashSet<>(lost);
    all.add(rank);
    lost = Set.copyOf(all);
    nodes = List.copyOf(nodes);
    RedundancySet set = header.set();
    set.memberOf(rank);
    if (!Protection.replaces(scheme, set, lost)) {
      List<Integer> missing = set.ranks().stream().filter(lost::contains).toList();
      throw new ScrException(Fault.TOO_MANY_LOST, "dataset " + header.descriptor().id() + ": of redundancy set "
          + set.ranks() + " ranks " + missing + " are lost, which " + scheme + " cannot replace");
    }
    if (nodes.size() != set.size()) {
      throw new ScrException(Fault.INTERNAL, nodes.size() + " nodes for redundancy set " + set.ranks());
    }
    if (!files(header, rank).files().stream().map(FileMeta::crc).allMatch(OptionalInt::isPresent)) {
      throw new ScrException(Fault.CORRUPT, "redundancy header of rank " + header.current().rank()
          + " lacks checksums of rank " + rank);
    }
  }

  /** The lost files, with the checksums they had. */
  public RankFiles files() {
    return files(header, rank);
  }

  /** Consecutive stretches of the lost logical file, each the sum of these ranges. */
  List<List<RangeRequest>> stretches() {
    RedundancySet set = header.set();
    return switch (scheme) {
      case SINGLE -> throw new AssertionError("SINGLE replaces nothing");
      case PARTNER -> List.of(List.of(
          request(set.right(rank, 1), RangeRequest.Kind.REDUNDANCY, 0, files().bytes())));
      case XOR -> xorStretches(new XorLayout(set.size(), header.chunkBytes()));
    };
  }

  private List<List<RangeRequest>> xorStretches(XorLayout layout) {
    int member = header.set().memberOf(rank);
    return IntStream.range(0, layout.members() - 1)
        .mapToObj(segment -> sum(layout, layout.slotOf(member, segment), layout.bytesIn(segment, files().bytes())))
        .toList();
  }

  /** What stands at a slot: the others' segments, and the parity of the slot's owner. */
  private List<RangeRequest> sum(XorLayout layout, int slot, long bytes) {
    RedundancySet set = header.set();
    return set.ranks().stream().filter(other -> other != rank).map(other -> {
      int member = set.memberOf(other);
      return member == slot
          ? request(other, RangeRequest.Kind.REDUNDANCY, 0, bytes)
          : request(other, RangeRequest.Kind.FILES, layout.offset(member, slot), bytes);
    }).toList();
  }

  private RangeRequest request(int owner, RangeRequest.Kind kind, long offset, long bytes) {
    String node = nodes.get(header.set().memberOf(owner));
    return new RangeRequest(node, header.descriptor().id(), owner, kind, offset, bytes);
  }

  private static RankFiles files(RedundancyHeader header, int rank) {
    return Stream.concat(Stream.of(header.current()), header.partners().stream())
        .filter(files -> files.rank() == rank).findFirst()
        .orElseThrow(() -> new ScrException(Fault.CORRUPT, "redundancy header of rank " + header.current().rank()
            + " does not describe the files of rank " + rank));
  }
}
