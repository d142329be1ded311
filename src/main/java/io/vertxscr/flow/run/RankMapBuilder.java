package io.vertxscr.flow.run;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A run whose ranks are arriving, as the leader sees it. Pure; not thread-safe. */
public final class RankMapBuilder {
  private final String prefix;
  private final String jobName;
  private final String firstNode;
  private final String[] nodeOfRank;
  private final SortedMap<String, List<Integer>> ranksOfNode = new TreeMap<>();
  private int joined;

  /**
   * Starts with the first node's ranks.
   *
   * @param prefix absolute path of the prefix directory
   * @param ranks world size
   */
  public RankMapBuilder(String node, String prefix, String jobName, int ranks) {
    if (ranks < 1 || ranks > Limits.MAX_RANKS) {
      throw new ScrException(Fault.BAD_REQUEST, "a run has 1 to " + Limits.MAX_RANKS + " ranks, not " + ranks);
    }
    this.firstNode = node;
    this.prefix = prefix;
    this.jobName = jobName;
    this.nodeOfRank = new String[ranks];
  }

  /**
   * Notes that this rank is on this node; repeating it changes nothing.
   *
   * @return whether it was not known yet
   * @throws ScrException RANKS_DISAGREE on size, prefix or job name; UNKNOWN_RANK outside the size; DUPLICATE_RANK if
   *     it is on another node. Nothing changes then.
   */
  public boolean join(String node, int rank, int ranks, String itsPrefix, String itsJobName) {
    agree(node, rank, "size", String.valueOf(nodeOfRank.length), String.valueOf(ranks));
    agree(node, rank, "prefix", prefix, itsPrefix);
    agree(node, rank, "job name", jobName, itsJobName);
    if (rank < 0 || rank >= nodeOfRank.length) {
      throw new ScrException(Fault.UNKNOWN_RANK, "rank " + rank + " on node " + node + " is not in a run of "
          + nodeOfRank.length + " ranks");
    }
    String already = nodeOfRank[rank];
    if (already != null && !already.equals(node)) {
      throw new ScrException(Fault.DUPLICATE_RANK, "rank " + rank + " on node " + node + ": node " + already
          + " has a rank of that number already");
    }
    if (already == null) {
      nodeOfRank[rank] = node;
      ranksOfNode.computeIfAbsent(node, _ -> new ArrayList<>()).add(rank);
      joined++;
    }
    return already == null;
  }

  private void agree(String node, int rank, String what, String first, String mine) {
    if (!first.equals(mine)) {
      throw new ScrException(Fault.RANKS_DISAGREE, "rank " + rank + " on node " + node + " gives " + what + " '" + mine
          + "', the first rank of this run (on node " + firstNode + ") gave '" + first + "'");
    }
  }

  /** Forgets ranks of a node. Those that are on another one stay. */
  public void leave(String node, Collection<Integer> ranks) {
    for (int rank : ranks) {
      if (node.equals(nodeOfRank[rank])) {
        nodeOfRank[rank] = null;
        joined--;
      }
    }
    ranksOfNode.values().removeIf(all -> {
      all.removeIf(rank -> nodeOfRank[rank] == null);
      return all.isEmpty();
    });
  }

  /** The ranks that are on a node. */
  public List<Integer> on(String node) {
    return List.copyOf(ranksOfNode.getOrDefault(node, List.of()));
  }

  /** The rank map, once all ranks are here. */
  public Optional<RankMap> complete() {
    return joined == nodeOfRank.length ? Optional.of(new RankMap(Arrays.asList(nodeOfRank))) : Optional.empty();
  }

  /** Nodes that have a rank here. */
  public SortedSet<String> nodes() {
    return new TreeSet<>(ranksOfNode.keySet());
  }

  /** The first ranks that are not here yet, at most {@code most} of them. */
  public List<Integer> missing(int most) {
    List<Integer> missing = new ArrayList<>();
    for (int rank = 0; rank < nodeOfRank.length && missing.size() < most; rank++) {
      if (nodeOfRank[rank] == null) {
        missing.add(rank);
      }
    }
    return missing;
  }

  /** The lowest rank that is here. */
  public OptionalInt first() {
    return IntStream.range(0, nodeOfRank.length).filter(rank -> nodeOfRank[rank] != null).findFirst();
  }

  public String prefix() {
    return prefix;
  }

  public String jobName() {
    return jobName;
  }

  /** World size. */
  public int ranks() {
    return nodeOfRank.length;
  }

  /** Ranks that are here. */
  public int joined() {
    return joined;
  }
}
