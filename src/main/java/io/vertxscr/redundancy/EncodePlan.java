package io.vertxscr.redundancy;

import io.vertxscr.coding.ReedSolomon;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ParityLayout;
import io.vertxscr.placement.Protection;
import io.vertxscr.redundancy.range.RangeRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plan of one rank for the protection of a dataset.
 *
 * @param worldRanks ranks of the run
 * @param rank whose redundancy file is written
 * @param layouts files of every member, in the order of the set; checksums may be unknown
 * @param nodes where each member's files are, in the order of the set
 * @param alone whether the rank computes all of its parity, and none for others: they have theirs
 */
public record EncodePlan(DatasetDescriptor descriptor, int worldRanks, Scheme scheme, RedundancySet set, int rank,
    List<RankFiles> layouts, List<String> nodes, boolean alone) {
  /** A plan beside those of the other members. */
  public EncodePlan(DatasetDescriptor descriptor, int worldRanks, Scheme scheme, RedundancySet set, int rank,
      List<RankFiles> layouts, List<String> nodes) {
    this(descriptor, worldRanks, scheme, set, rank, layouts, nodes, false);
  }

  public EncodePlan {
    layouts = List.copyOf(layouts);
    nodes = List.copyOf(nodes);
    if (!layouts.stream().map(RankFiles::rank).toList().equals(set.ranks()) || nodes.size() != set.size()) {
      throw new ScrException(Fault.INTERNAL, "layouts and nodes do not match redundancy set " + set.ranks());
    }
    set.memberOf(rank);
  }

  /** The plan of this rank where only its redundancy file was lost: others have nothing to do. */
  public EncodePlan byItself() {
    return new EncodePlan(descriptor, worldRanks, scheme, set, rank, layouts, nodes, true);
  }

  /** Whether a redundancy file is written; otherwise the rank's files are only read for their checksums. */
  public boolean writesRedundancy() {
    return Protection.writesRedundancy(scheme, set);
  }

  /** Bytes of redundancy: parity ({@link ParityLayout}), or the left neighbours' logical files, nearest first. */
  long payloadBytes() {
    return switch (scheme) {
      case SINGLE -> 0;
      case PARTNER -> partners().stream().mapToLong(partner -> layoutOf(partner).bytes()).sum();
      case XOR, RS -> writesRedundancy() ? set.failures() * chunkBytes() : 0;
    };
  }

  /** All bytes that this rank writes but for headers: what {@link #payloadBytes} counts, and parity for others. */
  public long writtenBytes() {
    return rows() > 1 ? payloadBytes() + (rows() - 1) * chunkBytes() : payloadBytes();
  }

  /** Bytes of one segment. */
  long chunkBytes() {
    return parity().chunkBytes();
  }

  /** Number of parity rows computed here. The first is this rank's own, the others are for its right neighbours. */
  int rows() {
    return scheme == Scheme.RS && writesRedundancy() && !alone ? set.failures() : 1;
  }

  /**
   * Returns the ranges to read and their use. The redundancy that other members compute for this one is not part of it.
   * Of the parity of several rows, only the first stands at this place; see {@link #rows}.
   */
  List<Stretch> stretches() {
    if (!writesRedundancy()) {
      return List.of(copy(rank, 0));
    }
    return switch (scheme) {
      case SINGLE -> throw new AssertionError("writes no redundancy");
      case PARTNER -> {
        List<Stretch> copies = new ArrayList<>();
        long offset = 0;
        for (int partner : partners()) {
          copies.add(copy(partner, offset));
          offset += layoutOf(partner).bytes();
        }
        yield copies;
      }
      case XOR, RS -> {
        ParityLayout parity = parity();                   // asks for the sizes of all files
        if (alone) {
          yield IntStream.range(0, set.failures()).mapToObj(row -> row(row, parity)).toList();
        }
        yield List.of(new Stretch(0, parity.chunkBytes(),
            Protection.readBy(scheme, set, rank).stream().map(owner -> segment(owner, parity)).toList()));
      }
    };
  }

  /** Whether this rank computes the checksums of the bytes that it reads of this owner. */
  boolean tellsOf(int owner) {
    return Protection.readersOf(scheme, set, owner).contains(rank);
  }

  /** The ranks whose finished parity is pulled, in the order of the rows, from row 1 on. */
  List<Integer> parityFrom() {
    return payloadBytes() == 0 || alone ? List.of() : Protection.parityFrom(scheme, set, rank);
  }

  /** Range of a row that this rank has computed for another, during the protection of the dataset. */
  RangeRequest finishedParity(int row) {
    int holder = set.left(rank, row);
    return request(holder, RangeRequest.RangeKind.PARITY, (row - 1) * chunkBytes(), chunkBytes());
  }

  RankFiles layoutOf(int member) {
    return layouts.get(set.memberOf(member));
  }

  /** The header with these files in it; their checksums may be unknown. */
  RedundancyHeader header(RankFiles current, List<RankFiles> partners) {
    long chunk = scheme == Scheme.PARTNER || !writesRedundancy() ? payloadBytes() : chunkBytes();
    return new RedundancyHeader(descriptor, worldRanks, set, chunk, current, partners);
  }

  /** The left neighbours that the header describes, nearest first. */
  List<Integer> partners() {
    return IntStream.rangeClosed(1, set.failures()).mapToObj(distance -> set.left(rank, distance)).toList();
  }

  private Stretch copy(int owner, long offset) {
    long bytes = layoutOf(owner).bytes();
    return new Stretch(offset, bytes, List.of(Term.plain(request(owner, RangeRequest.RangeKind.FILES, 0, bytes))));
  }

  /** An owner's segment in this rank's own stripe. */
  private Term segment(int owner, ParityLayout parity) {
    int member = set.memberOf(owner);
    int segment = parity.segmentAt(member, set.memberOf(rank));
    ReedSolomon code = new ReedSolomon(set.size(), rows());
    return new Term(request(owner, RangeRequest.RangeKind.FILES, segment * parity.chunkBytes(),
        parity.bytesIn(segment, layoutOf(owner).bytes())),
        IntStream.range(0, rows()).mapToObj(row -> code.coefficient(row, member)).toList());
  }

  /** One row of this rank's parity, from all data of its stripe. */
  private Stretch row(int row, ParityLayout parity) {
    int stripe = parity.stripeOf(set.memberOf(rank), row);
    var code = new ReedSolomon(set.size(), set.failures());
    return new Stretch(row * parity.chunkBytes(), parity.chunkBytes(), IntStream.range(0, set.size())
        .filter(member -> parity.hasData(member, stripe)).mapToObj(member -> {
          int owner = set.ranks().get(member);
          return new Term(request(owner, RangeRequest.RangeKind.FILES, parity.offset(member, stripe),
              parity.bytesIn(parity.segmentAt(member, stripe), layoutOf(owner).bytes())),
              List.of(code.coefficient(row, member)));
        }).toList());
  }

  private RangeRequest request(int owner, RangeRequest.RangeKind kind, long offset, long bytes) {
    return new RangeRequest(nodes.get(set.memberOf(owner)), descriptor.id(), owner, kind, offset, bytes);
  }

  private ParityLayout parity() {
    return ParityLayout.of(
        set.size(), set.failures(), layouts.stream().mapToLong(RankFiles::bytes).max().orElseThrow());
  }
}
