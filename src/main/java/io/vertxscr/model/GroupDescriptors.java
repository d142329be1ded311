package io.vertxscr.model;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Groups of nodes ({@code GROUPS=<node> POWER=<value> SWITCH=<value>} in configuration files). Nodes with the same
 * value of a group belong to the same one. NODE and WORLD exist without being defined.
 *
 * @param nodes for each node its value in each defined group
 */
public record GroupDescriptors(SortedMap<String, SortedMap<String, String>> nodes) {
  /** Each node is one of its own. */
  public static final String NODE = "NODE";
  /** All nodes are in one. */
  public static final String WORLD = "WORLD";
  /** Only the predefined groups. */
  public static final GroupDescriptors BUILT_IN = new GroupDescriptors(new TreeMap<>());

  public GroupDescriptors {
    SortedMap<String, SortedMap<String, String>> copy = new TreeMap<>();
    nodes.forEach((node, groups) -> copy.put(node, Collections.unmodifiableSortedMap(new TreeMap<>(groups))));
    nodes = Collections.unmodifiableSortedMap(copy);
  }

  /**
   * The value that a node has in a group.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} if it is not configured
   */
  public String valueOf(String group, String node) {
    return switch (group) {
      case NODE -> node;
      case WORLD -> WORLD;
      default -> {
        String value = nodes.getOrDefault(node, Collections.emptySortedMap()).get(group);
        if (value == null) {
          throw new ScrException(Fault.BAD_CONFIGURATION, "node " + node + " has no value of group " + group
              + ": add a line GROUPS=" + node + " " + group + "=... to the configuration");
        }
        yield value;
      }
    };
  }

  /** Returns the descriptor if all these nodes have a value of its group; else with the group NODE. */
  public CheckpointDescriptor among(Collection<String> some, CheckpointDescriptor how) {
    boolean known = how.group().equals(NODE) || how.group().equals(WORLD) || some.stream().allMatch(node ->
        nodes.getOrDefault(node, Collections.emptySortedMap()).containsKey(how.group()));
    return known ? how : new CheckpointDescriptor(how.index(), how.enabled(), how.interval(), NODE, how.storeBase(),
        how.redundancy(), how.bypass());
  }

  /** Returns the groups restricted to these nodes. */
  public GroupDescriptors of(Collection<String> some) {
    SortedMap<String, SortedMap<String, String>> kept = new TreeMap<>(nodes);
    kept.keySet().retainAll(some);
    return new GroupDescriptors(kept);
  }
}
