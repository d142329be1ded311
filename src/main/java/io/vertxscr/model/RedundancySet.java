package io.vertxscr.model;

import java.util.Collections;
import java.util.List;

/**
 * Ranks that protect each other, one of each failure group, ascending. A member's index is its place in the list.
 *
 * @param ranks world ranks, ascending, at least one; a set of one protects nothing
 * @param failures members that may be lost at once, any of them; always less than all
 */
public record RedundancySet(List<Integer> ranks, int failures) {
  public RedundancySet {
    ranks = List.copyOf(ranks);
    for (int i = 0; i < ranks.size(); i++) {
      if (ranks.get(i) < 0 || (i > 0 && ranks.get(i) <= ranks.get(i - 1))) {
        throw new ScrException(Fault.BAD_REQUEST, "redundancy set " + ranks + ": ranks must ascend");
      }
    }
    if (ranks.isEmpty()) {
      throw new ScrException(Fault.BAD_REQUEST, "a redundancy set has at least one member");
    }
    if (failures < 0 || failures >= ranks.size()) {
      throw new ScrException(Fault.BAD_REQUEST,
          "redundancy set " + ranks + " cannot tolerate " + failures + " failures");
    }
  }

  /** A set that tolerates one failure, if it has more than one member. */
  public RedundancySet(List<Integer> ranks) {
    this(ranks, Math.clamp(ranks.size() - 1, 0, 1));
  }

  /** Returns the set with this tolerance, at most all members but one. */
  public RedundancySet tolerating(int most) {
    return new RedundancySet(ranks, Math.min(most, ranks.size() - 1));
  }

  /** Its name in files: the smallest world rank. */
  public int id() {
    return ranks.getFirst();
  }

  public int size() {
    return ranks.size();
  }

  /** Index of this rank in the set. */
  public int memberOf(int rank) {
    int member = Collections.binarySearch(ranks, rank);
    if (member < 0) {
      throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " is not in redundancy set " + ranks);
    }
    return member;
  }

  /** World rank of the member {@code distance} places to the left, with wrap. */
  public int left(int rank, int distance) {
    return ranks.get(Math.floorMod(memberOf(rank) - distance, size()));
  }

  /** World rank of the member {@code distance} places to the right, with wrap. */
  public int right(int rank, int distance) {
    return ranks.get(Math.floorMod(memberOf(rank) + distance, size()));
  }

  /** {@code <member+1>_of_<size>_in_<id>.<suffix>} */
  public String fileName(int rank, Scheme scheme) {
    return (memberOf(rank) + 1) + "_of_" + size() + "_in_" + id() + "." + scheme.suffix();
  }
}
