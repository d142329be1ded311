package io.vertxscr.service.data;

import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.descriptor.CheckpointDescriptor;
import io.vertxscr.model.descriptor.GroupDescriptors;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import io.vertxscr.redundancy.EncodePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One protection of a dataset, as one of its nodes sees it: which ranks are here, in which sets, and who must be asked
 * for what. Immutable.
 *
 * @param dataset what the filemap will say, but for the ranks
 * @param round tells attempts apart
 * @param mine the files of this node's ranks, ascending by rank
 */
public record ProtectionJob(DatasetRecord dataset, RankMap map, Sets sets, long round, List<RankFiles> mine) {

  /** The sets of a rank map, found by rank; computed once for a run. */
  public static final class Sets {
    private final Map<Integer, RedundancySet> ofRank = new HashMap<>();

    private Sets(List<RedundancySet> sets) {
      sets.forEach(set -> set.ranks().forEach(rank -> ofRank.put(rank, set)));
    }

    /** Those that a descriptor asks for, with no two members of one failure group in any. */
    public static Sets of(RankMap map, CheckpointDescriptor descriptor, GroupDescriptors groups) {
      List<String> groupOfRank = map.nodes().stream().map(node -> groups.valueOf(descriptor.group(), node)).toList();
      return new Sets(RedundancySets.of(groupOfRank, descriptor.redundancy().setSize()));
    }

    RedundancySet of(int rank) {
      return ofRank.get(rank);
    }
  }

  int id() {
    return dataset.descriptor().id();
  }

  Scheme scheme() {
    return dataset.scheme();
  }

  /** Whether the dataset has no file at all, on any node: then nobody needs to ask anybody. */
  boolean isEmpty() {
    return dataset.descriptor().totals().files() == 0;
  }

  /** Other nodes' ranks whose layouts this node needs, by node: all members of the sets of its ranks. */
  SortedMap<String, List<Integer>> layoutsNeeded(String self) {
    SortedMap<String, SortedSet<Integer>> needed = new TreeMap<>();
    for (RankFiles files : mine) {
      for (int member : sets.of(files.rank()).ranks()) {
        if (!map.nodeOf(member).equals(self)) {
          needed.computeIfAbsent(map.nodeOf(member), _ -> new TreeSet<>()).add(member);
        }
      }
    }
    return lists(needed);
  }

  /**
   * The ranks whose checksums this node needs: its own, for their filemap, and their left neighbours', for the headers.
   */
  SortedSet<Integer> ownersNeeded() {
    SortedSet<Integer> owners = new TreeSet<>();
    for (RankFiles files : mine) {
      owners.add(files.rank());
      owners.add(sets.of(files.rank()).left(files.rank(), 1));
    }
    return owners;
  }

  /** The same ranks by the nodes that computed their checksums. */
  SortedMap<String, List<Integer>> checksumsNeeded() {
    SortedMap<String, SortedSet<Integer>> needed = new TreeMap<>();
    for (int owner : ownersNeeded()) {
      for (int reader : Protection.readersOf(scheme(), sets.of(owner), owner)) {
        needed.computeIfAbsent(map.nodeOf(reader), _ -> new TreeSet<>()).add(owner);
      }
    }
    return lists(needed);
  }

  /** What one of this node's ranks has to do. */
  EncodePlan plan(int rank, Map<Integer, RankFiles> layouts) {
    RedundancySet set = sets.of(rank);
    return new EncodePlan(dataset.descriptor(), map.size(), scheme(), set, rank,
        set.ranks().stream().map(member -> layouts.getOrDefault(member, new RankFiles(member, List.of()))).toList(),
        set.ranks().stream().map(map::nodeOf).toList());
  }

  private static SortedMap<String, List<Integer>> lists(SortedMap<String, SortedSet<Integer>> sets) {
    SortedMap<String, List<Integer>> lists = new TreeMap<>();
    sets.forEach((node, ranks) -> lists.put(node, new ArrayList<>(ranks)));
    return lists;
  }
}
