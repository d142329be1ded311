package io.vertxscr.flow.paths;

import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.paths.PathClaims.Taken;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Paths of one node's ranks in a dataset. Conflicts between them, and the owners to ask about other nodes' ranks. Pure.
 *
 * @param byOwner each path once, by the node that watches over it
 * @param here paths that an earlier rank of this node has too
 */
public record NodePaths(SortedMap<String, Claim> byOwner, List<Second> here) {
  public static final NodePaths NONE = new NodePaths(new TreeMap<>(), List.of());

  /** Paths of this node, and the first rank that has each. */
  public record Claim(List<Integer> ranks, List<String> paths, List<PathHash> hashes) {
    private Claim() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private void add(int rank, String path, PathHash hash) {
      ranks.add(rank);
      paths.add(path);
      hashes.add(hash);
    }

    /** Interprets the answer of a hash owner. */
    public List<Second> seconds(String node, List<Taken> taken) {
      return taken.stream().map(claimed -> new Second(paths.get(claimed.index()),
          new NodeContribution<>(node, ranks.get(claimed.index())),
          new NodeContribution<>(claimed.node(), claimed.rank()))).toList();
    }
  }

  /** What a node watches over, which may be nothing. */
  public Claim claim(String owner) {
    return byOwner.getOrDefault(owner, new Claim());
  }

  /** A rank that has a path which another one has claimed before. */
  public record Second(String path, NodeContribution<Integer> rank, NodeContribution<Integer> first) {
    /** Why a dataset with such paths is refused, in words; empty without any. */
    public static String refusal(List<Second> seconds) {
      return seconds.stream().findFirst().map(second -> second.inWords()
          + (seconds.size() > 1 ? " (and " + (seconds.size() - 1) + " more)" : "")
          + ": in the cache each rank has its own files; to write one file from several ranks use SCR_CACHE_BYPASS=1")
          .orElse("");
    }

    /** In words, the lower rank first. */
    public String inWords() {
      boolean inOrder = first.part() < rank.part();
      return path + " is written by " + inWords(inOrder ? first : rank) + " and by "
          + inWords(inOrder ? rank : first);
    }

    private static String inWords(NodeContribution<Integer> rank) {
      return "rank " + rank.part() + " on node " + rank.node();
    }
  }

  /**
   * Sorts the paths of a node.
   *
   * @param nodes of the run, the same list on all of them
   */
  public static NodePaths of(String node, List<RankFiles> ranks, List<String> nodes) {
    Map<String, Integer> firstRank = new HashMap<>();
    SortedMap<String, Claim> byOwner = new TreeMap<>();
    List<Second> here = new ArrayList<>();
    for (RankFiles rank : ranks) {
      for (FileMeta file : rank.files()) {
        Integer first = firstRank.putIfAbsent(file.path(), rank.rank());
        if (first != null) {
          here.add(new Second(
              file.path(), new NodeContribution<>(node, rank.rank()), new NodeContribution<>(node, first)));
          continue;
        }
        PathHash hash = PathHash.of(file.path());
        byOwner.computeIfAbsent(nodes.get(hash.owner(nodes.size())), _ -> new Claim())
            .add(rank.rank(), file.path(), hash);
      }
    }
    return new NodePaths(byOwner, List.copyOf(here));
  }
}
