package io.vertxscr.placement;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Who protects whom: every node computes the same sets from the same rank map.
 *
 * <p>Ranks are dealt like cards, node by node, to S sets. A node with at most S ranks gives no set two of them, and
 * sizes differ by one at most. S is therefore the number of ranks on the fullest node, or more where that leaves every
 * set as large as asked for. Uneven nodes can make sets smaller than asked for; a single node leaves sets of one.
 */
public final class RedundancySets {
  private RedundancySets() {}

  /**
   * All sets, ascending by id.
   *
   * @param minSetSize size that sets have at least, where the nodes are even enough for it; from 1
   */
  public static List<RedundancySet> of(RankMap map, int minSetSize) {
    if (minSetSize < 1) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "redundancy sets of at least " + minSetSize + " ranks: from 1");
    }
    if (map.size() == 0) {
      return List.of();
    }
    var byNode = map.byNode().values();
    int fullest = byNode.stream().mapToInt(List::size).max().orElseThrow();
    int count = Math.max(fullest, Math.max(1, map.size() / minSetSize));
    List<List<Integer>> hands = Stream.generate(() -> (List<Integer>) new ArrayList<Integer>()).limit(count).toList();
    int next = 0;
    for (List<Integer> ranks : byNode) {
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
