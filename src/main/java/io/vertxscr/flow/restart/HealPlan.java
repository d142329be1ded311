package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is to be made of a dataset, and on which nodes, until it survives all that it should. Pure.
 *
 * @param parts in the order in which they are made: files before redundancy, node by node
 * @param newSets where the ranks are when it is protected anew behind that; empty where its sets stay
 * @param bytes that each node takes for it, at the most
 */
public record HealPlan(List<HealPart> parts, Optional<RankMap> newSets, Map<String, Long> bytes) {
  public HealPlan {
    parts = List.copyOf(parts);
    bytes = Map.copyOf(bytes);
  }

  /**
   * One part.
   *
   * @param set of which the rank is a member there
   * @param what FILES or REDUNDANCY
   */
  public record HealPart(int rank, String node, RedundancySet set, HeldPart what) {}

  /** Number of steps in all; a rank that is protected anew counts as one. */
  public int steps() {
    return parts.size() + newSets.map(RankMap::size).orElse(0);
  }

  /** The parts that the caches do not have yet. */
  public List<HealPart> left(DatasetKey dataset, List<Inventory> caches) {
    return parts.stream().filter(part -> caches.stream().filter(cache -> cache.node().equals(part.node()))
        .flatMap(cache -> cache.datasets().stream()).filter(copy -> copy.key().equals(dataset))
        .flatMap(copy -> copy.ranks().stream()).noneMatch(held -> isThere(part, held))).toList();
  }

  private boolean isThere(HealPart part, Held held) {
    return held.rank() == part.rank() && (part.what() == HeldPart.FILES ? held.files() : held.redundancy())
        && (newSets.isPresent() || held.set().equals(part.set()));
  }
}
