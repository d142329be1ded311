package io.vertxscr.flow.restart;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.GroupDescriptors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the leader knows of the nodes that are marked to be drained (docs/flows/drain.md). Pure. The marks are on the
 * nodes, and in their inventories.
 *
 * <pre>
 *   none --mark--> draining --nothing needs the node--> drained
 *                   |    ^                                |
 *      cannot be    v    | the nodes or the run change    |
 *                 stopped +-------------------------------+
 * </pre>
 */
public final class DrainBook {
  private final SortedMap<String, Drain> nodes = new TreeMap<>();
  /** The last that was told of each. */
  private final Map<String, Drain> told = new HashMap<>();
  private final Map<DatasetKey, Long> bytes = new HashMap<>();
  private final Set<DatasetKey> moved = new HashSet<>();

  /**
   * One node.
   *
   * @param state DRAINING, STOPPED or DRAINED
   * @param cause why it is stopped; empty if it is not
   * @param lost datasets for which alone it is stopped: nodes may return with the rest of them
   */
  public record Drain(String node, DrainState state, String cause, List<Integer> lost) {
    /** Not for such datasets. */
    public Drain(String node, DrainState state, String cause) {
      this(node, state, cause, List.of());
    }
  }

  /** A node is marked. */
  public void mark(String node) {
    nodes.putIfAbsent(node, new Drain(node, DrainState.DRAINING, ""));
  }

  /** It is not any more, or has left. */
  public void unmark(String node) {
    nodes.remove(node);
    told.remove(node);
  }

  /** Another node leads. */
  public void clear() {
    nodes.clear();
    told.clear();
    begin(List.of());
  }

  public boolean isEmpty() {
    return nodes.isEmpty();
  }

  public boolean isMarked(String node) {
    return nodes.containsKey(node);
  }

  /** Whether it is not known of each that it is drained. */
  public boolean isOpen() {
    return nodes.values().stream().anyMatch(drain -> drain.state() != DrainState.DRAINED);
  }

  /** What was true may not be: nodes have come or gone, or a run has been on. */
  public void doubt() {
    nodes.replaceAll((node, _) -> new Drain(node, DrainState.DRAINING, ""));
  }

  /** These datasets are to be moved, as far as is known. */
  public void begin(List<Inventory.Dataset> datasets) {
    bytes.clear();
    moved.clear();
    datasets.forEach(dataset -> bytes.put(dataset.key(), Math.max(1, dataset.descriptor().totals().bytes())));
  }

  /** This one is. */
  public void moved(DatasetKey dataset) {
    moved.add(dataset);
  }

  /**
   * Percentage of the bytes that are moved. Each dataset counts with all its files.
   *
   * @param part of this dataset that is under way, by now
   */
  public int percent(Optional<DatasetKey> underWay, double part) {
    double all = 0;
    double done = 0;
    for (Map.Entry<DatasetKey, Long> one : bytes.entrySet()) {
      all += one.getValue();
      boolean isUnderWay = underWay.equals(Optional.of(one.getKey()));
      done += one.getValue() * (moved.contains(one.getKey()) ? 1 : isUnderWay ? part : 0);
    }
    return all == 0 ? 0 : (int) (100 * done / all);
  }

  /**
   * A round has ended.
   *
   * @param caches behind it
   * @param kept why datasets stay as they are
   * @param groups failure groups of all nodes, as far as they are known
   * @return what is new of each node
   */
  public List<Drain> end(List<Inventory> caches, Map<DatasetKey, String> kept, GroupDescriptors groups) {
    Set<String> marked = caches.stream().filter(Inventory::drained).map(Inventory::node).collect(Collectors.toSet());
    nodes.keySet().retainAll(marked);
    told.keySet().retainAll(marked);
    List<Inventory.Dataset> left = new HealNeeds(caches, groups).toMove();
    List<Drain> news = new ArrayList<>();
    for (String node : marked.stream().sorted().toList()) {
      Drain now = now(node, caches, left, kept, groups);
      nodes.put(node, now);
      if (!now.equals(told.put(node, now))) {
        news.add(now);
      }
    }
    return news;
  }

  private static Drain now(
      String node, List<Inventory> caches, List<Inventory.Dataset> left, Map<DatasetKey, String> kept,
      GroupDescriptors groups) {
    CacheSnapshot seen = CacheSnapshot.of(caches);
    Optional<Inventory.Dataset> needs = left.stream().filter(dataset ->
        seen.holders(dataset.key()).stream().anyMatch(cache -> cache.node().equals(node))).findFirst();
    if (needs.isPresent()) {
      String dataset = "dataset " + needs.get().descriptor().id();
      String why = kept.getOrDefault(needs.get().key(), "parts of " + dataset + " are on this node alone");
      return new Drain(node, DrainState.STOPPED, why.contains(dataset) ? why : dataset + ": " + why);
    }
    List<Integer> lost = new HealNeeds(caches, groups).lostForNow(node).stream()
        .map(dataset -> dataset.descriptor().id()).toList();
    return lost.isEmpty() ? new Drain(node, DrainState.DRAINED, "")
        : new Drain(node, DrainState.STOPPED, "it has parts of datasets " + lost + ", which the caches cannot give back"
            + " while nodes are away: it is drained when these return; if they never do, its loss loses nothing more",
            lost);
  }

  /** Nothing could be found out. */
  public void failed(String why) {
    nodes.replaceAll((node, _) -> new Drain(node, DrainState.STOPPED, Objects.requireNonNullElse(why, "")));
  }

  /** The marked nodes, by name. */
  public List<Drain> all() {
    return List.copyOf(nodes.values());
  }
}
