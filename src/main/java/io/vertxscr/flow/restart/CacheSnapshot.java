package io.vertxscr.flow.restart;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.RedundancySet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the caches of all nodes held when they were asked, with queries. A dataset may have a copy on several nodes,
 * each with its own ranks and its own flush state. Pure; it does not become fresh by itself.
 *
 * @param nodes in the order in which they were asked
 */
public record CacheSnapshot(List<Inventory> nodes) {
  public CacheSnapshot {
    nodes = List.copyOf(nodes);
  }

  public static CacheSnapshot of(List<Inventory> nodes) {
    return new CacheSnapshot(nodes);
  }

  /** All copies of all datasets, node by node. */
  public Stream<Inventory.Dataset> copies() {
    return nodes.stream().flatMap(node -> node.datasets().stream());
  }

  /** All copies of one dataset. */
  public Stream<Inventory.Dataset> copies(DatasetKey key) {
    return copies().filter(copy -> copy.key().equals(key));
  }

  /** All copies of the datasets of one prefix directory. */
  public Stream<Inventory.Dataset> copiesFor(String prefixDirectory) {
    return copies().filter(copy -> copy.origin().prefix().equals(prefixDirectory));
  }

  /**
   * Returns the first copy with this id. Ids are unique over all prefix directories, unless a history has begun again,
   * or nodes were away when a run gave its own: then it is one that is to be flushed, if there is one.
   */
  public Optional<Inventory.Dataset> find(int id) {
    return copies().filter(copy -> copy.descriptor().id() == id)
        .min(Comparator.comparing(copy -> copy.flush() != FlushState.WANTED));
  }

  /** The nodes that have a copy of the dataset. */
  public List<Inventory> holders(DatasetKey key) {
    return nodes.stream().filter(node -> node.datasets().stream().anyMatch(copy -> copy.key().equals(key))).toList();
  }

  /**
   * The nodes of each redundancy set of a dataset, each once. The ranks of a node are in different sets. A rank on no
   * node stands for itself.
   */
  public Set<List<String>> setsOfNodes(DatasetKey dataset) {
    Map<Integer, String> nodeOf = new HashMap<>();
    Set<RedundancySet> ofRanks = new LinkedHashSet<>();
    for (Inventory cache : nodes) {
      cache.datasets().stream().filter(copy -> copy.key().equals(dataset)).flatMap(copy -> copy.ranks().stream())
          .forEach(held -> {
            nodeOf.putIfAbsent(held.rank(), cache.node());
            ofRanks.add(held.set());
          });
    }
    Set<List<String>> ofNodes = new LinkedHashSet<>();
    ofRanks.forEach(set -> ofNodes.add(
        set.ranks().stream().map(rank -> nodeOf.getOrDefault(rank, "rank " + rank)).toList()));
    return ofNodes;
  }

  /** The first of the chosen copies of each dataset, in the order in which they are met. */
  public List<Inventory.Dataset> datasets(Predicate<Inventory.Dataset> chosen) {
    Map<DatasetKey, Inventory.Dataset> found = new LinkedHashMap<>();
    copies().filter(chosen).forEach(copy -> found.putIfAbsent(copy.key(), copy));
    return List.copyOf(found.values());
  }

  /** The first of the chosen copies for each id, ascending. */
  public Map<Integer, Inventory.Dataset> byId(Predicate<Inventory.Dataset> chosen) {
    Map<Integer, Inventory.Dataset> found = new TreeMap<>();
    copies().filter(chosen).forEach(copy -> found.putIfAbsent(copy.descriptor().id(), copy));
    return found;
  }
}
