package io.vertxscr.flow.gather;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Collects one collective call from all ranks of a node. Pure; not thread-safe. */
public final class LocalGather {
  private final SortedSet<Integer> ranks;
  private final SortedMap<Integer, RankCall> arrived = new TreeMap<>();

  public LocalGather(Collection<Integer> ranks) {
    this.ranks = new TreeSet<>(ranks);
  }

  /** Adds a call. The last one returns all calls, in ascending order of ranks, and starts the next round. */
  public Optional<List<RankCall>> arrive(RankCall call) {
    if (!ranks.contains(call.rank()) || arrived.putIfAbsent(call.rank(), call) != null) {
      throw new IllegalStateException("rank " + call.rank() + " is not expected here, or here already");
    }
    if (arrived.size() < ranks.size()) {
      return Optional.empty();
    }
    List<RankCall> all = List.copyOf(arrived.values());
    arrived.clear();
    return Optional.of(all);
  }

  /** Returns the ranks that have not called; empty if no call is open. */
  public List<Integer> missing() {
    List<Integer> missing = new ArrayList<>(arrived.isEmpty() ? List.of() : ranks);
    missing.removeAll(arrived.keySet());
    return missing;
  }

  /** Returns the step of the waiting ranks, if any. */
  public Optional<Step> waitingIn() {
    return arrived.values().stream().findFirst().map(RankCall::step);
  }

  /** Returns a disagreement of the calls, naming one rank for each value. */
  public static Optional<String> disagreement(List<RankCall> calls) {
    RankCall first = calls.getFirst();
    return calls.stream().filter(c -> !c.agreed().equals(first.agreed())).findFirst()
        .map(other -> "rank " + first.rank() + " called " + first.agreed()
            + ", rank " + other.rank() + " called " + other.agreed());
  }
}
