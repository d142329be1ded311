package io.vertxscr.redundancy;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.XorLayout;
import io.vertxscr.redundancy.range.RangeRequest;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What one rank does to protect a dataset.
 *
 * @param worldRanks ranks of the run
 * @param rank whose redundancy file is written
 * @param layouts files of every member, in the order of the set; checksums may be unknown
 * @param nodes where each member's files are, in the order of the set
 */
public record EncodePlan(DatasetDescriptor descriptor, int worldRanks, Scheme scheme, RedundancySet set, int rank,
    List<RankFiles> layouts, List<String> nodes) {
  public EncodePlan {
    layouts = List.copyOf(layouts);
    nodes = List.copyOf(nodes);
    if (!layouts.stream().map(RankFiles::rank).toList().equals(set.ranks()) || nodes.size() != set.size()) {
      throw new ScrException(Fault.INTERNAL, "layouts and nodes do not match redundancy set " + set.ranks());
    }
    set.memberOf(rank);
  }

  /** Whether a redundancy file is written at all, or the rank's own files are only read for their checksums. */
  public boolean writesRedundancy() {
    return Protection.writesRedundancy(scheme, set);
  }

  /** Bytes of redundancy: a segment of XOR, or the left neighbour's logical file. */
  long payloadBytes() {
    if (!writesRedundancy()) {
      return 0;
    }
    return switch (scheme) {
      case SINGLE -> 0;
      case PARTNER -> layoutOf(set.left(rank, 1)).bytes();
      case XOR -> xor().chunkBytes();
    };
  }

  /** The ranges that are read for it: together, the plans of a set name every byte once. */
  List<RangeRequest> requests() {
    return Protection.readBy(scheme, set, rank).stream().map(this::request).toList();
  }

  RankFiles layoutOf(int member) {
    return layouts.get(set.memberOf(member));
  }

  /** The header with these files in it; their checksums may be unknown. */
  RedundancyHeader header(RankFiles current, List<RankFiles> partners) {
    return new RedundancyHeader(descriptor, worldRanks, set, payloadBytes(), current, partners);
  }

  /** The left neighbours that the header describes, nearest first. */
  List<Integer> partners() {
    return IntStream.rangeClosed(1, Math.min(scheme.tolerance(), set.size() - 1))
        .mapToObj(distance -> set.left(rank, distance)).toList();
  }

  private RangeRequest request(int owner) {
    long offset = 0;
    long bytes = layoutOf(owner).bytes();
    if (scheme == Scheme.XOR && writesRedundancy()) {
      XorLayout xor = xor();
      int segment = xor.segmentAt(set.memberOf(owner), set.memberOf(rank));
      offset = segment * xor.chunkBytes();
      bytes = xor.bytesIn(segment, bytes);
    }
    String node = nodes.get(set.memberOf(owner));
    return new RangeRequest(node, descriptor.id(), owner, RangeRequest.Kind.FILES, offset, bytes);
  }

  private XorLayout xor() {
    return XorLayout.of(set.size(), layouts.stream().mapToLong(RankFiles::bytes).max().orElseThrow());
  }
}
