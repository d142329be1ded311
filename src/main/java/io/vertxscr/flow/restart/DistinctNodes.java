package io.vertxscr.flow.restart;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Chooses nodes for as many members of a redundancy set as possible, no two in one failure group. A matching by
 * augmenting paths. Pure.
 */
final class DistinctNodes {
  private final SortedMap<Integer, List<String>> candidates;
  private final UnaryOperator<String> group;
  private final Map<String, Integer> memberOfGroup = new HashMap<>();
  private final SortedMap<Integer, String> chosen = new TreeMap<>();

  private DistinctNodes(SortedMap<Integer, List<String>> candidates, UnaryOperator<String> group) {
    this.candidates = candidates;
    this.group = group;
  }

  /**
   * Returns the nodes by member; members for which none is left are missing.
   *
   * @param candidates nodes of each member, the better ones first
   */
  static SortedMap<Integer, String> of(SortedMap<Integer, List<String>> candidates, UnaryOperator<String> group) {
    DistinctNodes matching = new DistinctNodes(candidates, group);
    candidates.keySet().forEach(member -> matching.place(member, new HashSet<>()));
    return matching.chosen;
  }

  private boolean place(int member, Set<String> tried) {
    for (String node : candidates.get(member)) {
      String there = group.apply(node);
      if (tried.add(there) && (!memberOfGroup.containsKey(there) || place(memberOfGroup.get(there), tried))) {
        memberOfGroup.put(there, member);
        chosen.put(member, node);
        return true;
      }
    }
    return false;
  }
}
