package io.vertxscr.flow.restart;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Actions that bring every rank's files of one dataset to its own node.
 *
 * @param perNode the ranks of each node of the run
 * @param protectedNow whether every rank has its redundancy, and no two members of a set are on one node
 */
public record RestorePlan(
    DatasetDescriptor descriptor, RedundancyDescriptor redundancy, SortedMap<String, List<RankPlan>> perNode,
    boolean protectedNow) {

  /** Whether every rank is fully protected without further work. @param groups failure groups of the nodes */
  public boolean isProtected(GroupDescriptors groups) {
    RankMap map = map();
    String kind = groups.among(map.nodes(), redundancy.how()).group();
    return protectedNow && perNode.values().stream().flatMap(List::stream).map(RankPlan::set).distinct().allMatch(
        set -> set.ranks().stream().map(rank -> groups.valueOf(kind, map.nodeOf(rank))).distinct().count()
            == set.size());
  }

  /** The node of every rank's files when it has been carried out. */
  public RankMap map() {
    SortedMap<Integer, String> nodes = new TreeMap<>();
    perNode.forEach((node, ranks) -> ranks.forEach(rank -> nodes.put(rank.rank(), node)));
    return new RankMap(List.copyOf(nodes.values()));
  }

  /** Source of a rank's files. */
  public enum Action {
    /** They are on its node. */
    KEEP,
    /** Another node has them. */
    MOVE,
    /** They are lost: computed from the other members of the set. */
    REBUILD
  }

  /**
   * One rank's restoration.
   *
   * @param source MOVE: the node that has the files; else empty
   * @param members REBUILD: where each member of the set is, by member index; empty else
   */
  public record RankPlan(int rank, Action action, String source, RedundancySet set, List<Member> members) {}

  /** The nodes that have a member's files and its redundancy file; empty strings if there are none. */
  public record Member(String filesNode, String redundancyNode) {}
}
