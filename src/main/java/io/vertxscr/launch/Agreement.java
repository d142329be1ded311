package io.vertxscr.launch;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which daemons form one cluster, by whom each of them sees in it. Pure. */
public final class Agreement {
  private Agreement() {}

  /** Whether all that live have answered and see exactly each other. */
  public static boolean isComplete(Set<String> alive, Map<String, Set<String>> seenBy) {
    return seenBy.keySet().containsAll(alive) && alive.stream().allMatch(node -> seenBy.get(node).equals(alive));
  }

  /**
   * Returns the largest set of nodes that have answered and see the same members. Of equally large ones the one with
   * the first name.
   *
   * @param seenBy members that a node sees; nothing for nodes that did not answer
   */
  public static Set<String> together(Map<String, Set<String>> seenBy) {
    Map<Set<String>, TreeSet<String>> byView = new HashMap<>();
    new TreeMap<>(seenBy).forEach((node, view) -> {
      if (view.contains(node)) {
        byView.computeIfAbsent(Set.copyOf(view), _ -> new TreeSet<>()).add(node);
      }
    });
    return byView.values().stream().max(Comparator.<TreeSet<String>>comparingInt(TreeSet::size)
        .thenComparing(TreeSet::first, Comparator.reverseOrder())).<Set<String>>map(group -> group).orElse(Set.of());
  }
}
