package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.HealPlan.HealPart;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestorePlanner.Obstacle;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plans how a dataset that has lost parts is made whole again (docs/flows/healing.md). What drained nodes hold counts
 * as lost, but can be copied from there (docs/flows/drain.md). Pure.
 *
 * <p>Its redundancy sets stay if every lost rank finds a node in a failure group of its own. Else the ranks are spread
 * over the nodes that there are, and it is to be protected in new sets.
 */
public final class HealPlanner {
  private record Copy(String node, Held held) {}

  private final Inventory.Dataset dataset;
  private final HealPlaces places;
  private final CheckpointDescriptor how;
  private final SortedMap<Integer, List<Copy>> copies = new TreeMap<>();
  /** Sets of each rank, as all nodes know them, drained ones too. */
  private final SortedMap<Integer, Set<RedundancySet>> known = new TreeMap<>();
  private final List<String> drained;
  /** Number of ranks that each node has something of. Without nodes that hold another dataset of its id. */
  private final SortedMap<String, Integer> ranksOf = new TreeMap<>();
  /** Bytes that each node has of its largest dataset. */
  private final Map<String, Long> largest = new HashMap<>();
  private final int failures;
  private Map<String, Integer> taken = new HashMap<>();
  private Map<String, Long> takenBytes = new HashMap<>();

  /**
   * What is known of the nodes besides their caches.
   *
   * @param groups failure groups of all nodes, as far as they are known
   * @param freeBytes in the store of the dataset; a node that is missing has none
   */
  public record HealPlaces(GroupDescriptors groups, Map<String, Long> freeBytes) {}

  private HealPlanner(Inventory.Dataset dataset, List<Inventory> caches, HealPlaces places) {
    this.dataset = dataset;
    this.places = places;
    for (int rank = 0; rank < dataset.origin().ranks(); rank++) {
      copies.put(rank, new ArrayList<>());
      known.put(rank, new LinkedHashSet<>());
    }
    this.drained = caches.stream().filter(Inventory::drained).map(Inventory::node).sorted().toList();
    for (Inventory cache : caches) {
      cache.datasets().stream().filter(dataset::sameAs).flatMap(copy -> copy.ranks().stream())
          .forEach(held -> known.get(held.rank()).add(held.set()));
      if (!cache.drained()) {
        note(cache);
      }
    }
    this.how = places.groups().among(holders(), dataset.redundancy().how());
    this.failures = known.values().stream().flatMap(Set::stream)
        .filter(set -> set.size() > 1).mapToInt(RedundancySet::failures).min().orElse(1);
  }

  private void note(Inventory cache) {
    cache.datasets().forEach(copy -> largest.merge(cache.node(), bytes(copy, copy.ranks().size()), Math::max));
    boolean inTheWay = cache.datasets().stream().anyMatch(other ->
        other.descriptor().id() == dataset.descriptor().id() && !other.sameAs(dataset));
    if (!inTheWay) {                                      // one dataset of an id fits on a node
      ranksOf.put(cache.node(), 0);
    }
    cache.datasets().stream().filter(dataset::sameAs).flatMap(copy -> copy.ranks().stream()).forEach(held -> {
      copies.get(held.rank()).add(new Copy(cache.node(), held));
      ranksOf.merge(cache.node(), 1, Integer::sum);
    });
  }

  private Set<String> holders() {
    Set<String> holders = new HashSet<>();
    copies.values().forEach(of -> of.forEach(copy -> holders.add(copy.node())));
    return holders;
  }

  /**
   * Plans for a dataset that has redundancy, or of which drained nodes have files.
   *
   * @return without parts and new sets where nothing is missing
   * @throws ScrException TOO_MANY_LOST if the nodes cannot give all of it, or are too few to protect it as it was;
   *     NO_SPACE if they have no room
   */
  public static HealPlan plan(Inventory.Dataset dataset, List<Inventory> caches, HealPlaces places) {
    HealPlanner planner = new HealPlanner(dataset, caches, places);
    Optional<Obstacle> obstacle = RestorePlanner.obstacle(
        dataset.descriptor(), caches, IntStream.range(0, dataset.origin().ranks()).boxed().toList());
    if (obstacle.isPresent()) {
      throw new ScrException(Fault.TOO_MANY_LOST, obstacle.get().why());
    }
    return planner.isAlone() ? planner.copied() : planner.inSameSets().orElseGet(planner::inNewSets);
  }

  /** Whether no rank is protected by another. */
  private boolean isAlone() {
    return dataset.scheme() == Scheme.SINGLE
        || known.values().stream().flatMap(Set::stream).allMatch(set -> set.size() == 1);
  }

  /** Files of drained nodes that no other has: one copy of each. */
  private HealPlan copied() {
    List<HealPart> parts = new ArrayList<>();
    for (int rank : copies.keySet()) {
      if (isLost(rank)) {
        String node = roomiest(rankBytes());
        take(node, 1, rankBytes());
        parts.add(new HealPart(rank, node, setOf(rank), HeldPart.FILES));
      }
    }
    return new HealPlan(inOrder(parts), Optional.empty(), takenBytes);
  }

  /** The node with the fewest ranks that has room. @throws ScrException NO_SPACE */
  private String roomiest(long bytes) {
    return ranksOf.keySet().stream().filter(node -> hasRoom(node, bytes))
        .min(Comparator.comparingInt(this::count).thenComparing(Comparator.naturalOrder()))
        .orElseThrow(() -> noRoom(bytes));
  }

  private Optional<HealPlan> inSameSets() {
    List<HealPart> parts = new ArrayList<>();
    for (RedundancySet set : sets()) {
      Optional<List<HealPart>> some = partsOf(set);
      if (some.isEmpty()) {
        return Optional.empty();
      }
      parts.addAll(some.get());
    }
    Set<Integer> covered = new HashSet<>();
    sets().forEach(set -> covered.addAll(set.ranks()));
    return covered.size() < copies.size() ? Optional.empty() : Optional.of(new HealPlan(inOrder(parts),
        Optional.empty(), takenBytes));
  }

  private static List<HealPart> inOrder(List<HealPart> parts) {
    return parts.stream().sorted(Comparator.comparing(HealPart::what).thenComparing(HealPart::node)
        .thenComparingInt(HealPart::rank)).toList();
  }

  /** Sets that can stay, until every rank is in one; those that lack least first. */
  private List<RedundancySet> sets() {
    Set<RedundancySet> held = new LinkedHashSet<>();
    copies.values().forEach(of -> of.forEach(copy -> held.add(copy.held().set())));
    List<RedundancySet> whole = held.stream().filter(set -> set.size() > 1 && set.failures() >= failures)
        .filter(set -> set.ranks().stream().allMatch(rank -> copies.containsKey(rank)
            && (isLost(rank) || !holders(rank, set).isEmpty())))
        .sorted(Comparator.comparingLong(this::lacking)).toList();
    Set<Integer> covered = new HashSet<>();
    return whole.stream().filter(set -> covered.addAll(set.ranks())).toList();
  }

  private long lacking(RedundancySet set) {
    return set.ranks().stream().filter(rank -> guarded(rank, set).isEmpty()).count();
  }

  private boolean isLost(int rank) {
    return copies.get(rank).stream().noneMatch(copy -> copy.held().files());
  }

  /** Nodes that have the files of a rank as a member of this set, those with its redundancy first. */
  private List<String> holders(int rank, RedundancySet set) {
    return copies.get(rank).stream().filter(copy -> copy.held().files() && copy.held().set().equals(set))
        .sorted(Comparator.comparing((Copy copy) -> !copy.held().redundancy())).map(Copy::node).toList();
  }

  private List<String> guarded(int rank, RedundancySet set) {
    return copies.get(rank).stream().filter(copy -> copy.held().files() && copy.held().redundancy()
        && copy.held().set().equals(set)).map(Copy::node).toList();
  }

  /** Empty where some member has no node. */
  private Optional<List<HealPart>> partsOf(RedundancySet set) {
    SortedMap<Integer, List<String>> candidates = new TreeMap<>();
    set.ranks().forEach(rank -> candidates.put(rank, holders(rank, set)));
    SortedMap<Integer, String> nodes = DistinctNodes.of(candidates, this::group);
    Set<String> groups = new HashSet<>();
    nodes.values().forEach(node -> groups.add(group(node)));
    List<HealPart> parts = new ArrayList<>();
    for (int rank : set.ranks()) {
      String node = nodes.get(rank);
      if (node == null) {
        Optional<String> found = newNode(groups);
        if (found.isEmpty()) {
          return Optional.empty();
        }
        node = found.get();
        groups.add(group(node));
        take(node, 1, rankBytes() * (1 + failures));
        parts.add(new HealPart(rank, node, set, HeldPart.FILES));
      }
      if (!guarded(rank, set).contains(node)) {
        if (nodes.containsKey(rank) && !hasRoom(node, rankBytes() * failures)) {
          return Optional.empty();
        }
        if (nodes.containsKey(rank)) {
          take(node, 0, rankBytes() * failures);
        }
        parts.add(new HealPart(rank, node, set, HeldPart.REDUNDANCY));
      }
    }
    return Optional.of(parts);
  }

  /** Of nodes whose group is not known none is in one of its own. */
  private String group(String node) {
    try {
      return places.groups().valueOf(how.group(), node);
    } catch (ScrException e) {
      return "";
    }
  }

  /** A node that has nothing of the dataset, until it is full; else the one with the fewest ranks. */
  private Optional<String> newNode(Set<String> groups) {
    int usual = ranksOf.values().stream().mapToInt(ranks -> ranks).max().orElse(0);
    return ranksOf.keySet().stream()
        .filter(node -> !group(node).isEmpty() && !groups.contains(group(node)))
        .filter(node -> hasRoom(node, rankBytes() * (1 + failures)))
        .min(Comparator.comparing((String node) -> !isSpare(node, usual))
            .thenComparingInt(node -> isSpare(node, usual) ? -count(node) : count(node))
            .thenComparing(Comparator.naturalOrder()));
  }

  private boolean isSpare(String node, int usual) {
    return ranksOf.get(node) == 0 && count(node) < usual;
  }

  private int count(String node) {
    return ranksOf.get(node) + taken.getOrDefault(node, 0);
  }

  private void take(String node, int ranks, long bytes) {
    taken.merge(node, ranks, Integer::sum);
    takenBytes.merge(node, bytes, Long::sum);
  }

  private long rankBytes() {
    return bytes(dataset, 1);
  }

  private static long bytes(Inventory.Dataset of, int ranks) {
    return Math.ceilDiv(of.descriptor().totals().bytes(), Math.max(1, of.origin().ranks())) * ranks;
  }

  /** Whether there is room for this too, and left for the next checkpoint. */
  private boolean hasRoom(String node, long more) {
    long takes = takenBytes.getOrDefault(node, 0L) + more;
    return places.freeBytes().getOrDefault(node, 0L) - takes >= Math.max(largest.getOrDefault(node, 0L), takes);
  }

  private HealPlan inNewSets() {
    taken = new HashMap<>();
    takenBytes = new HashMap<>();
    String[] nodes = new String[copies.size()];
    copies.forEach((rank, of) -> of.stream().filter(copy -> copy.held().files())
        .min(Comparator.comparing((Copy copy) -> !copy.held().redundancy()).thenComparing(Copy::node))
        .ifPresent(copy -> nodes[rank] = copy.node()));
    for (String node : nodes) {
      if (node != null) {
        take(node, 0, rankBytes() * failures);            // the new redundancy, beside the old
      }
    }
    List<HealPart> parts = new ArrayList<>();
    for (int rank = 0; rank < nodes.length; rank++) {
      if (nodes[rank] == null) {
        nodes[rank] = roomiest(rankBytes() * (1 + failures));
        take(nodes[rank], 1, rankBytes() * (1 + failures));
        parts.add(new HealPart(rank, nodes[rank], setOf(rank), HeldPart.FILES));
      }
    }
    RankMap map = new RankMap(List.of(nodes));
    requireProtected(map);
    if (map.byNode().keySet().stream().anyMatch(node -> !hasRoom(node, 0))) {
      throw noRoom(rankBytes() * (1 + failures));
    }
    return new HealPlan(inOrder(parts), Optional.of(map), takenBytes);
  }

  /** A set of a lost rank, as it or others know it. */
  private RedundancySet setOf(int rank) {
    return Stream.concat(known.get(rank).stream(), known.values().stream().flatMap(Set::stream))
        .filter(set -> set.ranks().contains(rank)).findFirst().orElseThrow();
  }

  private void requireProtected(RankMap map) {
    CheckpointDescriptor among = places.groups().among(map.nodes(), dataset.redundancy().how());
    Redundancy asked = among.redundancy();
    int most = Protection.failures(dataset.scheme(), asked.failures());
    List<String> groups = map.nodes().stream().map(node -> places.groups().valueOf(among.group(), node)).toList();
    int weakest = RedundancySets.of(groups, Protection.minSetSize(dataset.scheme(), asked.setSize(), most)).stream()
        .mapToInt(set -> set.tolerating(most).failures()).min().orElse(0);
    if (weakest < failures) {
      int left = new HashSet<>(map.nodes()).size();
      throw new ScrException(Fault.TOO_MANY_LOST, title() + " cannot be " + what() + " by the "
          + (left == 1 ? "node that is left" : left + " nodes that are left") + ": redundancy sets of "
          + (left == 1 ? "its ranks" : "theirs") + " would tolerate " + weakest + ", its own tolerate " + failures);
    }
  }

  private ScrException noRoom(long bytes) {
    return new ScrException(Fault.NO_SPACE, title() + " cannot be " + what() + ": no node has room in store "
        + dataset.base() + " for parts of about " + bytes
        + " bytes each and for its next checkpoint besides");
  }

  private String what() {
    return drained.isEmpty() ? "made whole" : "held without " + String.join(", ", drained);
  }

  private String title() {
    return "dataset " + dataset.descriptor().id() + " \"" + dataset.descriptor().name() + "\"";
  }
}
