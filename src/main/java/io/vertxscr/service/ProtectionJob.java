package io.vertxscr.service;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One protection of a dataset, as one of its nodes sees it: which ranks are here, in which sets, and who must be asked for
 * what. Immutable.
 *
 * @param generation of the redundancy files
 * @param mine the files of this node's ranks, ascending by rank
 */
record ProtectionJob(DatasetDescriptor descriptor, Scheme scheme, RankMap map, Sets sets, int generation,
    List<RankFiles> mine) {

  /** The sets of a rank map, found by rank; computed once for a run. */
  static final class Sets {
    private final Map<Integer, RedundancySet> ofRank = new HashMap<>();

    Sets(RankMap map, int minSetSize) {
      for (RedundancySet set : RedundancySets.of(map, minSetSize)) {
        set.ranks().forEach(rank -> ofRank.put(rank, set));
      }
    }

    RedundancySet of(int rank) {
      return ofRank.get(rank);
    }
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
   * Ranks whose checksums this node needs, by the node that computed them: of its own ranks, for their filemap, and of
   * their left neighbours, for the redundancy header.
   */
  SortedMap<String, List<Integer>> checksumsNeeded() {
    SortedMap<String, SortedSet<Integer>> needed = new TreeMap<>();
    for (RankFiles files : mine) {
      RedundancySet set = sets.of(files.rank());
      for (int owner : List.of(files.rank(), set.left(files.rank(), 1))) {
        for (int reader : Protection.readersOf(scheme, set, owner)) {
          needed.computeIfAbsent(map.nodeOf(reader), _ -> new TreeSet<>()).add(owner);
        }
      }
    }
    return lists(needed);
  }

  private static SortedMap<String, List<Integer>> lists(SortedMap<String, SortedSet<Integer>> sets) {
    SortedMap<String, List<Integer>> lists = new TreeMap<>();
    sets.forEach((node, ranks) -> lists.put(node, new ArrayList<>(ranks)));
    return lists;
  }
}
