package io.vertxscr.flow;

import io.vertxscr.flow.Inventory.Held;
import io.vertxscr.flow.RestorePlan.Action;
import io.vertxscr.flow.RestorePlan.Member;
import io.vertxscr.flow.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds the checkpoints that the caches can give back, and how. Pure. */
public final class RestorePlanner {
  private RestorePlanner() {}

  /** Checkpoints of this prefix that a run of this size wrote, newest first, whether or not they can be restored. */
  public static List<DatasetDescriptor> candidates(List<Inventory> inventories, String prefix, int ranks) {
    Map<Integer, DatasetDescriptor> newest = new HashMap<>();
    for (Inventory inventory : inventories) {
      for (Inventory.Dataset dataset : inventory.datasets()) {
        if (dataset.descriptor().flags().checkpoint() && dataset.origin().prefix().equals(prefix)
            && dataset.origin().ranks() == ranks) {
          newest.merge(dataset.descriptor().id(), dataset.descriptor(),
              (a, b) -> a.createdUs() >= b.createdUs() ? a : b);
        }
      }
    }
    return newest.values().stream().sorted(Comparator.comparingInt(DatasetDescriptor::id).reversed()).toList();
  }

  /**
   * Plans the restoration of one dataset for the ranks of a new run.
   *
   * @throws ScrException TOO_MANY_LOST, naming the first rank that cannot be had and what of its set is missing
   */
  public static RestorePlan plan(DatasetDescriptor dataset, List<Inventory> inventories, RankMap map) {
    Holdings holdings = new Holdings(dataset, inventories);
    SortedMap<String, List<RankPlan>> perNode = new TreeMap<>();
    for (int rank = 0; rank < map.size(); rank++) {
      perNode.computeIfAbsent(map.nodeOf(rank), _ -> new ArrayList<>()).add(holdings.plan(rank, map.nodeOf(rank)));
    }
    return new RestorePlan(dataset, holdings.scheme, perNode, holdings.protectedUnder(map));
  }

  /** Who holds what of one dataset. */
  private static final class Holdings {
    private final DatasetDescriptor dataset;
    private final Map<Integer, List<String>> files = new HashMap<>();
    private final Map<Integer, List<String>> redundancy = new HashMap<>();
    private final Map<Integer, RedundancySet> sets = new HashMap<>();
    private Scheme scheme = Scheme.SINGLE;

    Holdings(DatasetDescriptor dataset, List<Inventory> inventories) {
      this.dataset = dataset;
      for (Inventory inventory : inventories) {
        for (Inventory.Dataset held : inventory.datasets()) {
          if (held.descriptor().id() == dataset.id() && held.descriptor().createdUs() == dataset.createdUs()) {
            scheme = held.scheme();
            held.ranks().forEach(rank -> note(inventory.node(), rank));
          }
        }
      }
    }

    private void note(String node, Held held) {
      if (held.files()) {
        files.computeIfAbsent(held.rank(), _ -> new ArrayList<>()).add(node);
      }
      if (held.redundancy()) {
        redundancy.computeIfAbsent(held.rank(), _ -> new ArrayList<>()).add(node);
      }
      for (int member : held.set().ranks()) {
        sets.putIfAbsent(member, held.set());
      }
      sets.put(held.rank(), held.set());
    }

    RankPlan plan(int rank, String node) {
      List<String> holders = files.getOrDefault(rank, List.of());
      RedundancySet set = sets.get(rank);
      if (holders.contains(node)) {
        return new RankPlan(rank, Action.KEEP, "", set, List.of());
      }
      if (!holders.isEmpty()) {
        return new RankPlan(rank, Action.MOVE, holders.getFirst(), set, List.of());
      }
      if (set == null) {
        throw lost(rank, "no node knows its redundancy set");
      }
      return new RankPlan(rank, Action.REBUILD, "", set, sources(rank, set));
    }

    private List<Member> sources(int rank, RedundancySet set) {
      if (set.size() < 2 || scheme == Scheme.SINGLE) {
        throw lost(rank, "its files have no redundancy (" + scheme + ", a set of " + set.size() + ")");
      }
      List<Integer> needed = scheme == Scheme.PARTNER ? List.of(set.right(rank, 1))
          : set.ranks().stream().filter(r -> r != rank).toList();
      for (int member : needed) {
        boolean hasFiles = scheme == Scheme.PARTNER || files.containsKey(member);
        if (!hasFiles || !redundancy.containsKey(member)) {
          throw lost(rank, "rank " + member + " of the same " + scheme + " set " + set.ranks() + " has lost its "
              + (hasFiles ? "redundancy file" : "files") + " too");
        }
      }
      return set.ranks().stream().map(this::member).toList();
    }

    /** One node for both where there is one. */
    private Member member(int rank) {
      List<String> withFiles = files.getOrDefault(rank, List.of(""));
      List<String> withRedundancy = redundancy.getOrDefault(rank, List.of(""));
      return withFiles.stream().filter(withRedundancy::contains).findFirst().map(both -> new Member(both, both))
          .orElseGet(() -> new Member(withFiles.getFirst(), withRedundancy.getFirst()));
    }

    private ScrException lost(int rank, String why) {
      return new ScrException(Fault.TOO_MANY_LOST, "dataset " + dataset.id() + " \"" + dataset.name()
          + "\" cannot be restored from the caches: the files of rank " + rank + " are lost, and " + why);
    }

    /** Whether every rank has files and redundancy on its own node, in sets that do not share a node. */
    boolean protectedUnder(RankMap map) {
      if (scheme == Scheme.SINGLE) {
        return true;
      }
      for (int rank = 0; rank < map.size(); rank++) {
        String node = map.nodeOf(rank);
        RedundancySet set = sets.get(rank);
        if (!files.getOrDefault(rank, List.of()).contains(node)
            || (set.size() == 1 ? map.byNode().size() > 1
                : !redundancy.getOrDefault(rank, List.of()).contains(node))
            || set.ranks().stream().map(map::nodeOf).collect(java.util.stream.Collectors.toCollection(HashSet::new))
                .size() < set.size()) {
          return false;
        }
      }
      return true;
    }
  }
}
