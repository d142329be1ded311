package io.vertxscr.service.redundancy;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.SmallRank;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import io.vertxscr.protocol.node.redundancy.ChecksumsRequest;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.storage.RankInMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One protection of a dataset on one of its nodes. Local ranks, their sets, and requests to other nodes. Immutable.
 *
 * @param dataset the future filemap, without the ranks
 * @param round tells attempts apart
 * @param mine the files of this node's ranks, ascending by rank
 * @param seals of these files, by rank, from before anybody has read them
 * @param small files that are in memory here, of this node's ranks and of others, by rank
 */
public record ProtectionJob(DatasetRecord dataset, long run, RankMap map, Sets sets, long round, List<RankFiles> mine,
    Map<Integer, RankSeals> seals, Map<Integer, RankInMemory> small) {

  /** The sets of a rank map, found by rank; computed once for a run. */
  public static final class Sets {
    private final Map<Integer, RedundancySet> ofRank = new HashMap<>();

    private final int count;

    private Sets(List<RedundancySet> sets) {
      count = sets.size();
      sets.forEach(set -> set.ranks().forEach(rank -> ofRank.put(rank, set)));
    }

    /** Computes the sets of a descriptor, without two members of one failure group in any. */
    public static Sets of(RankMap map, CheckpointDescriptor descriptor, GroupDescriptors groups) {
      return of(map, descriptor.redundancy().scheme(), descriptor, groups);
    }

    /** Computes the sets of a dataset with its own scheme, which may come from another configuration. */
    static Sets of(RankMap map, Scheme scheme, CheckpointDescriptor descriptor, GroupDescriptors groups) {
      Redundancy asked = descriptor.redundancy();
      int failures = Protection.failures(scheme, asked.scheme() == scheme ? asked.failures() : scheme.tolerance());
      List<String> groupOfRank = map.nodes().stream().map(node -> groups.valueOf(descriptor.group(), node)).toList();
      return new Sets(RedundancySets.of(groupOfRank, Protection.minSetSize(scheme, asked.setSize(), failures)).stream()
          .map(set -> set.tolerating(failures)).toList());
    }

    /** Number of all sets. */
    public int count() {
      return count;
    }

    RedundancySet of(int rank) {
      return ofRank.get(rank);
    }

    /** Estimates the bytes of a dataset's redundancy that a node does not have yet, if these are its sets. */
    public long expectedBytes(DatasetRecord held) {
      long usual = held.descriptor().totals().bytes() / Math.max(1, held.origin().ranks());
      return held.ranks().stream()
          .filter(rank -> rank.redundancy().isEmpty() && ofRank.containsKey(rank.files().rank()))
          .mapToLong(rank -> Protection.expectedBytes(
              held.scheme(), of(rank.files().rank()), rank.files().bytes(), usual)).sum();
    }

    /**
     * What other nodes need to protect these ranks' files and their own, by node.
     *
     * @param small files of ranks on this node, by rank
     */
    SortedMap<String, List<SmallRank>> shared(
        RankMap map, Scheme scheme, Map<Integer, RankInMemory> small, String self) {
      SortedMap<String, List<SmallRank>> shared = new TreeMap<>();
      small.forEach((rank, files) -> {
        RedundancySet set = of(rank);
        List<Integer> describers = Protection.describers(set, rank);
        Map<String, Boolean> described = new TreeMap<>();
        needers(scheme, set, rank).stream().filter(member -> !map.nodeOf(member).equals(self))
            .forEach(member -> described.merge(map.nodeOf(member), describers.contains(member), Boolean::logicalOr));
        described.forEach((node, by) -> shared.computeIfAbsent(node, _ -> new ArrayList<>())
            .add(by ? SmallRank.described(files.files(), files.bytes())
                : SmallRank.of(files.files(), files.bytes())));
      });
      return shared;
    }

    /** Members that need the layout of a rank's files. */
    private static List<Integer> needers(Scheme scheme, RedundancySet set, int rank) {
      return !Protection.writesRedundancy(scheme, set) ? List.of()
          : scheme == Scheme.PARTNER ? Protection.describers(set, rank) : set.ranks();
    }
  }

  int id() {
    return dataset.descriptor().id();
  }

  Scheme scheme() {
    return dataset.scheme();
  }

  /** Whether the dataset has no file on any node: then no exchange is needed. */
  boolean isEmpty() {
    return dataset.descriptor().totals().files() == 0;
  }

  /**
   * Whether all that this node needs is in memory here: it then asks nobody, and nobody asks it.
   */
  boolean isInMemory(String self) {
    return layoutsNeeded(self).isEmpty() && checksumsNeeded().isEmpty();
  }

  /** Other nodes' ranks whose layouts this node needs, by node: all members of the sets of its ranks. */
  SortedMap<String, List<Integer>> layoutsNeeded(String self) {
    SortedMap<String, SortedSet<Integer>> needed = new TreeMap<>();
    for (RankFiles files : mine) {
      RedundancySet set = sets.of(files.rank());
      for (int member : set.ranks()) {
        if (!small.containsKey(member) && !map.nodeOf(member).equals(self)
            && Sets.needers(scheme(), set, member).contains(files.rank())) {
          needed.computeIfAbsent(map.nodeOf(member), _ -> new TreeSet<>()).add(member);
        }
      }
    }
    return lists(needed);
  }

  /**
   * The ranks whose checksums this node needs. Its own, for the filemap, and their left neighbours', for the headers.
   */
  SortedSet<Integer> ownersNeeded() {
    SortedSet<Integer> owners = new TreeSet<>();
    for (RankFiles files : mine) {
      owners.add(files.rank());
      RedundancySet set = sets.of(files.rank());
      int headers = Protection.writesRedundancy(scheme(), set) ? set.failures() : 0;
      for (int distance = 1; distance <= headers; distance++) {
        owners.add(set.left(files.rank(), distance));
      }
    }
    return owners;
  }

  /** Checksum requests by node, to be sent after all local reads. */
  SortedMap<String, ChecksumsRequest> checksumsNeeded() {
    SortedMap<String, SortedSet<Integer>> owners = new TreeMap<>();
    for (int owner : ownersNeeded()) {
      if (small.containsKey(owner)) {
        continue;                                         // they came with their files
      }
      for (int reader : Protection.readersOf(scheme(), sets.of(owner), owner)) {
        owners.computeIfAbsent(map.nodeOf(reader), _ -> new TreeSet<>()).add(owner);
      }
    }
    SortedMap<String, SortedSet<Integer>> parityFrom = new TreeMap<>();
    for (RankFiles files : mine) {
      for (int rank : Protection.parityFrom(scheme(), sets.of(files.rank()), files.rank())) {
        parityFrom.computeIfAbsent(map.nodeOf(rank), _ -> new TreeSet<>()).add(rank);
      }
    }
    SortedMap<String, ChecksumsRequest> needed = new TreeMap<>();
    Stream.concat(owners.keySet().stream(), parityFrom.keySet().stream()).distinct().forEach(node ->
        needed.put(node, new ChecksumsRequest(id(), run, round,
            List.copyOf(owners.getOrDefault(node, new TreeSet<>())),
            List.copyOf(parityFrom.getOrDefault(node, new TreeSet<>())))));
    return needed;
  }

  /** Returns the encode plan of one local rank. */
  EncodePlan plan(int rank, Map<Integer, RankFiles> layouts) {
    RedundancySet set = sets.of(rank);
    return new EncodePlan(dataset.descriptor(), map.size(), scheme(), set, rank,
        set.ranks().stream().map(member -> layouts.getOrDefault(member, new RankFiles(member, List.of()))).toList(),
        set.ranks().stream().map(map::nodeOf).toList());
  }

  /** Returns the bytes written by the local ranks. */
  long fileBytes() {
    return mine.stream().mapToLong(RankFiles::bytes).sum();
  }

  /** Returns the redundancy bytes of this node, without headers. */
  long redundancyBytes(Map<Integer, RankFiles> layouts) {
    return mine.stream().mapToLong(files -> plan(files.rank(), layouts).writtenBytes()).sum();
  }

  private static SortedMap<String, List<Integer>> lists(SortedMap<String, SortedSet<Integer>> sets) {
    SortedMap<String, List<Integer>> lists = new TreeMap<>();
    sets.forEach((node, ranks) -> lists.put(node, new ArrayList<>(ranks)));
    return lists;
  }
}
