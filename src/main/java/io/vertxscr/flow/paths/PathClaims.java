package io.vertxscr.flow.paths;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Path claims of the current dataset for the hashes owned by this node: the first claimant of each. Every node of a run
 * watches over its share of all paths, by {@link PathHash#owner}; so of two nodes with the same path the second to ask
 * hears of the first, and as every node asks before its part of the gather is there, one of them always knows before
 * the leader decides. Pure; not thread-safe.
 *
 * <p>Claims are kept for one gather. Its number is the same on all nodes, grows, and is of no other call: a claim of a
 * call that is over can neither hide one of the next nor be taken for one.
 */
public final class PathClaims {
  private final int most;
  private Map<PathHash, Claimant> first = new HashMap<>();
  private long gather;
  private long ended;

  /** A rank, and where it is. */
  private record Claimant(int rank, String node) {}

  /**
   * A claim that came second.
   *
   * @param index of the path among those of the claim
   * @param rank that has claimed the same path before, on another node
   */
  public record Taken(int index, int rank, String node) {}

  /** Claims of one run. @param most that are kept, {@link io.vertxscr.model.Limits#MAX_CLAIMED_PATHS} */
  public PathClaims(int most) {
    this.most = most;
  }

  /**
   * Notes the claims of a node. Repeating it gives the same answer, or one that knows of more.
   *
   * @param ranks claimant of each path
   * @param paths each once
   * @return those that ranks of other nodes have claimed before
   * @throws ScrException WRONG_STATE if the gather is over, BUSY if there are too many, BAD_REQUEST
   */
  public List<Taken> claim(long number, String node, List<Integer> ranks, List<PathHash> paths) {
    if (number < gather || number <= ended) {
      throw new ScrException(Fault.WRONG_STATE, "node " + node + " claims paths for gather " + number
          + ", which is over: this node is at " + Math.max(gather, ended));
    }
    if (ranks.size() != paths.size()) {
      throw new ScrException(
          Fault.BAD_REQUEST, "node " + node + " claims " + paths.size() + " paths for " + ranks.size() + " ranks");
    }
    if (number > gather) {
      first = new HashMap<>();
      gather = number;
    }
    List<Taken> taken = new ArrayList<>();
    for (int i = 0; i < paths.size(); i++) {
      Claimant before = first.putIfAbsent(paths.get(i), new Claimant(ranks.get(i), node));
      if (before == null && first.size() > most) {
        throw new ScrException(Fault.BUSY, "a node watches over at most " + most + " paths of a dataset");
      }
      if (before != null && !before.node().equals(node)) {
        taken.add(new Taken(i, before.rank(), before.node()));
      }
    }
    return taken;
  }

  /** Removes the claims up to a gather whose result is known, so that all nodes have asked. */
  public void end(long number) {
    ended = Math.max(ended, number);
    if (gather <= ended) {
      first = new HashMap<>();                            // cleared, it would keep its room for the largest dataset
    }
  }
}
