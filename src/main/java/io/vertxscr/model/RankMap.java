package io.vertxscr.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Which node each rank of a run is on. Immutable; index is the world rank. */
public record RankMap(List<String> nodes) {
  public RankMap {
    nodes = List.copyOf(nodes);
  }

  /** World size. */
  public int size() {
    return nodes.size();
  }

  public String nodeOf(int rank) {
    if (rank < 0 || rank >= nodes.size()) {
      throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " is not in a run of " + nodes.size() + " ranks");
    }
    return nodes.get(rank);
  }

  /** Ranks by node, nodes in the order of their names, ranks ascending. */
  public SortedMap<String, List<Integer>> byNode() {
    SortedMap<String, List<Integer>> byNode = new TreeMap<>();
    for (int rank = 0; rank < nodes.size(); rank++) {
      byNode.computeIfAbsent(nodes.get(rank), _ -> new ArrayList<>()).add(rank);
    }
    return byNode;
  }

  /** Ascending; none on a node that the run does not have. */
  public List<Integer> ranksOn(String node) {
    return IntStream.range(0, nodes.size()).filter(rank -> nodes.get(rank).equals(node)).boxed().toList();
  }
}
