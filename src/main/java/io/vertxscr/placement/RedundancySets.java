package io.vertxscr.placement;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Computes redundancy sets; every node gets the same sets from the same rank map and groups.
 *
 * <p>Ranks are dealt like cards, failure group by failure group, to S sets. A group with at most S ranks gives no set
 * two of them, and sizes differ by one at most. S is therefore the number of ranks in the largest group, or more where
 * that leaves every set as large as asked for. Fewer sets than that would put two ranks of a group into one; so no
 * other dealing has a larger smallest set. Uneven groups can make sets smaller than asked for; a single group leaves
 * sets of one.
 */
public final class RedundancySets {
  private RedundancySets() {}

  /**
   * All sets, ascending by id.
   *
   * @param groupOfRank failure group of each rank, by its world rank
   * @param minSetSize size that sets have at least, where the groups are even enough for it; from 1
   */
  public static List<RedundancySet> of(List<String> groupOfRank, int minSetSize) {
    if (minSetSize < 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "redundancy sets of at least " + minSetSize + " ranks: from 1");
    }
    SortedMap<String, List<Integer>> groups = new TreeMap<>();
    for (int rank = 0; rank < groupOfRank.size(); rank++) {
      groups.computeIfAbsent(groupOfRank.get(rank), _ -> new ArrayList<>()).add(rank);
    }
    if (groups.isEmpty()) {
      return List.of();
    }
    int largest = groups.values().stream().mapToInt(List::size).max().orElseThrow();
    int count = Math.max(largest, Math.max(1, groupOfRank.size() / minSetSize));
    List<List<Integer>> hands = Stream.generate(() -> (List<Integer>) new ArrayList<Integer>()).limit(count).toList();
    int next = 0;
    for (List<Integer> ranks : groups.values()) {
      for (int rank : ranks) {
        hands.get(next).add(rank);
        next = (next + 1) % count;
      }
    }
    return hands.stream()
        .map(hand -> new RedundancySet(hand.stream().sorted().toList()))
        .sorted((a, b) -> Integer.compare(a.id(), b.id()))
        .toList();
  }
}
