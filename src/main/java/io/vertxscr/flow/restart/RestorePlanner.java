package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.DatasetStanding.Grade;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds the checkpoints that the caches can give back, and how. Pure. */
public final class RestorePlanner {
  private RestorePlanner() {}

  /**
   * Returns checkpoints of this prefix that a run of this size can use: of the same size, and shards. Newest
   * first, restorable or not. Where an id stands for datasets of two histories both are there, the later one first: it
   * must not hide one that is whole.
   */
  public static List<DatasetDescriptor> candidates(List<Inventory> inventories, String prefix, int ranks) {
    return checkpoints(inventories, prefix, dataset -> isUsable(dataset, ranks));
  }

  /** The same, but shards by a run of another size, whose files are nobody's. */
  public static List<DatasetDescriptor> ofSize(List<Inventory> inventories, String prefix, int ranks) {
    return checkpoints(inventories, prefix, dataset -> dataset.origin().ranks() == ranks);
  }

  private static boolean isUsable(Inventory.Dataset dataset, int ranks) {
    return dataset.origin().ranks() == ranks || dataset.descriptor().flags().shards();
  }

  private static List<DatasetDescriptor> checkpoints(
      List<Inventory> inventories, String prefix, Predicate<Inventory.Dataset> which) {
    Map<DatasetKey, DatasetDescriptor> found = new HashMap<>();
    for (Inventory inventory : inventories) {
      for (Inventory.Dataset dataset : inventory.datasets()) {
        DatasetDescriptor descriptor = dataset.descriptor();
        if (descriptor.flags().checkpoint() && dataset.origin().prefix().equals(prefix) && which.test(dataset)) {
          found.putIfAbsent(descriptor.key(), descriptor);
        }
      }
    }
    return found.values().stream().sorted(Comparator.comparingInt(DatasetDescriptor::id)
        .thenComparingLong(DatasetDescriptor::createdUs).reversed()).toList();
  }

  /** The newest checkpoint of this prefix that a run of another size wrote, bound to its ranks. */
  public static Optional<Inventory.Dataset> ofOtherSize(List<Inventory> inventories, String prefix, int ranks) {
    return CacheSnapshot.of(inventories).copiesFor(prefix)
        .filter(dataset -> dataset.descriptor().flags().checkpoint() && !isUsable(dataset, ranks))
        .max(Comparator.comparingInt(dataset -> dataset.descriptor().id()));
  }

  /**
   * Chooses a node for the files of every rank, if any node will do. Held ranks stay; others go to the nodes with the
   * fewest ranks of the dataset, but to none that is drained.
   */
  public static RankMap anywhere(Inventory.Dataset dataset, List<Inventory> inventories) {
    String[] nodes = new String[dataset.origin().ranks()];
    Map<String, Integer> ranksOf = new TreeMap<>();
    for (Inventory inventory : inventories) {
      boolean inTheWay = inventory.datasets().stream().anyMatch(other ->
          other.descriptor().id() == dataset.descriptor().id() && !other.sameAs(dataset));
      if (!inTheWay && !inventory.drained()) {            // one dataset of an id fits on a node
        ranksOf.put(inventory.node(), 0);
      }
      inventory.datasets().stream().filter(dataset::sameAs).flatMap(held -> held.ranks().stream())
          .filter(Held::files).forEach(held -> nodes[held.rank()] = inventory.node());
    }
    for (String node : nodes) {
      ranksOf.computeIfPresent(node == null ? "" : node, (_, ranks) -> ranks + 1);
    }
    for (int rank = 0; rank < nodes.length; rank++) {
      if (nodes[rank] == null) {
        nodes[rank] = ranksOf.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow(() ->
            new ScrException(Fault.TOO_MANY_LOST, "no node can take files of dataset " + dataset.descriptor().id()))
            .getKey();
        ranksOf.merge(nodes[rank], 1, Integer::sum);
      }
    }
    return new RankMap(List.of(nodes));
  }

  /**
   * Plans the restoration of one dataset for the ranks of a new run.
   *
   * @param map as many ranks as the run had that wrote the dataset
   * @throws ScrException TOO_MANY_LOST, naming the first rank that cannot be had and what of its set is missing; IO
   *     where all could be had if what cannot be read now were good
   */
  public static RestorePlan plan(DatasetDescriptor dataset, List<Inventory> inventories, RankMap map) {
    try {
      return planned(dataset, inventories, map);
    } catch (ScrException lost) {
      throw unread(dataset, inventories, map).orElse(lost);
    }
  }

  private static Optional<ScrException> unread(
      DatasetDescriptor dataset, List<Inventory> inventories, RankMap map) {
    Optional<String> first = inventories.stream().flatMap(cache -> cache.datasets().stream()
        .filter(held -> held.key().equals(dataset.key())).flatMap(held -> held.ranks().stream()).flatMap(Held::unread)
        .map(why -> "node " + cache.node() + ": " + why)).findFirst();
    boolean decides = first.isPresent() && obstacle(dataset, inventories.stream().map(Inventory::asRead).toList(),
        IntStream.range(0, map.size()).boxed().toList()).isEmpty();
    return first.filter(_ -> decides).map(why -> new ScrException(Fault.IO, "dataset " + dataset.id() + " \""
        + dataset.name() + "\" cannot be restored from the caches while files cannot be read: " + why));
  }

  private static RestorePlan planned(DatasetDescriptor dataset, List<Inventory> inventories, RankMap map) {
    Holdings holdings = new Holdings(dataset, inventories);
    SortedMap<String, List<RankPlan>> perNode = new TreeMap<>();
    for (int rank = 0; rank < map.size(); rank++) {
      perNode.computeIfAbsent(map.nodeOf(rank), _ -> new ArrayList<>()).add(holdings.plan(rank, map.nodeOf(rank)));
    }
    return new RestorePlan(
        dataset, holdings.redundancy, perNode, holdings.protectedUnder(map, UnaryOperator.identity()));
  }

  /**
   * A rank whose files cannot be had.
   *
   * @param why in a sentence that names the dataset, the rank and what of its set is missing
   */
  public record Obstacle(int rank, String why) {}

  /** The first of these ranks whose files these nodes cannot give; empty where all can be had. */
  public static Optional<Obstacle> obstacle(
      DatasetDescriptor dataset, List<Inventory> inventories, List<Integer> ranks) {
    Holdings holdings = new Holdings(dataset, inventories);
    for (int rank : ranks) {
      try {
        holdings.plan(rank, "");
      } catch (ScrException e) {
        return Optional.of(new Obstacle(rank, e.getMessage()));
      }
    }
    return Optional.empty();
  }

  /**
   * Plan for one rank.
   *
   * @param why there is no plan; empty if there is one
   */
  public record Prospect(Optional<RankPlan> plan, String why) {}

  /** As {@link #plan}, rank by rank, also where some cannot be had. */
  public static SortedMap<Integer, Prospect> prospects(
      DatasetDescriptor dataset, List<Inventory> inventories, RankMap map) {
    Holdings holdings = new Holdings(dataset, inventories);
    SortedMap<Integer, Prospect> prospects = new TreeMap<>();
    for (int rank = 0; rank < map.size(); rank++) {
      try {
        prospects.put(rank, new Prospect(Optional.of(holdings.plan(rank, map.nodeOf(rank))), ""));
      } catch (ScrException e) {
        prospects.put(rank, new Prospect(Optional.empty(), e.getMessage()));
      }
    }
    return prospects;
  }

  /**
   * Plans the files of one rank for a node.
   *
   * @throws ScrException TOO_MANY_LOST
   */
  public static RankPlan files(DatasetDescriptor dataset, List<Inventory> inventories, String node, int rank) {
    return new Holdings(dataset, inventories).plan(rank, node);
  }

  /**
   * Plans the redundancy file of a rank that a node holds, from the files of its set.
   *
   * @throws ScrException TOO_MANY_LOST if some of these are lost
   */
  public static RankPlan redundancy(DatasetDescriptor dataset, List<Inventory> inventories, String node, int rank) {
    return new Holdings(dataset, inventories).redundancyPlan(rank, node);
  }

  /**
   * How well the caches hold a dataset, and which single nodes they cannot do without.
   *
   * @param ranks of the run that wrote it
   * @param groups failure groups of all nodes, as far as they are known
   */
  public static DatasetStanding standing(
      DatasetDescriptor dataset, List<Inventory> inventories, int ranks, GroupDescriptors groups) {
    return new Holdings(dataset, inventories).standing(ranks, groups);
  }

  /**
   * Holders of one dataset.
   *
   * <p>A rank may be in several sets at once: a crash during a new protection leaves nodes that have switched to the
   * new sets beside others that are still in the old ones. A redundancy file therefore counts for no set but the one
   * that its holder names with it; folded with the files of another set it would yield bytes that were never written.
   */
  private static final class Holdings {
    private record Copy(String node, Held held) {}

    private final DatasetDescriptor dataset;
    private final Map<Integer, List<Copy>> copies = new HashMap<>();
    private final Map<Integer, Set<RedundancySet>> sets = new HashMap<>();
    /** By identity: members of a set often name the same object. */
    private final Set<RedundancySet> noted = Collections.newSetFromMap(new IdentityHashMap<>());
    private Scheme scheme = Scheme.SINGLE;
    private RedundancyDescriptor redundancy;
    /** The node that is taken for lost; empty for none. */
    private String without = "";

    Holdings(DatasetDescriptor dataset, List<Inventory> inventories) {
      this.dataset = dataset;
      for (Inventory inventory : inventories) {
        for (Inventory.Dataset held : inventory.datasets()) {
          if (held.key().equals(dataset.key())) {
            scheme = held.scheme();
            redundancy = held.redundancy();
            held.ranks().forEach(rank -> note(new Copy(inventory.node(), rank)));
          }
        }
      }
    }

    private void note(Copy copy) {
      copies.computeIfAbsent(copy.held().rank(), _ -> new ArrayList<>()).add(copy);
      if (noted.add(copy.held().set())) {
        for (int member : copy.held().set().ranks()) {
          sets.computeIfAbsent(member, _ -> new LinkedHashSet<>()).add(copy.held().set());
        }
      }
    }

    RankPlan plan(int rank, String node) {
      Copy source = null;
      for (Copy copy : copies.getOrDefault(rank, List.of())) {
        if (isThere(copy) && copy.held().files() && (source == null || copy.node().equals(node))) {
          source = copy;
        }
      }
      if (source == null) {
        return rebuild(rank);
      }
      boolean here = source.node().equals(node);
      return new RankPlan(
          rank, here ? Action.KEEP : Action.MOVE, here ? "" : source.node(), source.held().set(), List.of());
    }

    private RankPlan rebuild(int rank) {
      String why = "no node knows its redundancy set";
      for (RedundancySet set : sets.getOrDefault(rank, Set.of())) {
        Optional<String> missing = missing(rank, set);
        if (missing.isEmpty()) {
          List<Member> members = set.ranks().stream().map(m -> new Member(files(m), redundancy(m, set))).toList();
          return new RankPlan(rank, Action.REBUILD, "", set, members);
        }
        why = missing.get();
      }
      throw new ScrException(Fault.TOO_MANY_LOST, "dataset " + dataset.id() + " \"" + dataset.name()
          + "\" cannot be restored from the caches: the files of rank " + rank + " are lost, and " + why);
    }

    RankPlan redundancyPlan(int rank, String node) {
      RedundancySet set = copies.getOrDefault(rank, List.of()).stream().filter(copy -> copy.node().equals(node))
          .findFirst().orElseThrow(() -> new ScrException(Fault.UNKNOWN_RANK, "dataset " + dataset.id()
              + ": node " + node + " holds nothing of rank " + rank)).held().set();
      List<Integer> lost = set.ranks().stream().filter(member -> files(member).isEmpty())
          .filter(member -> scheme != Scheme.PARTNER || member == rank
              || Protection.describers(set, member).contains(rank)).toList();
      if (!lost.isEmpty()) {
        throw new ScrException(Fault.TOO_MANY_LOST, "dataset " + dataset.id() + " \"" + dataset.name()
            + "\": the redundancy of rank " + rank + " cannot be made again while the files of ranks " + lost
            + " are lost");
      }
      return new RankPlan(rank, Action.REBUILD, "", set,
          set.ranks().stream().map(member -> new Member(files(member), "")).toList());
    }

    /** Returns what this set lacks to rebuild the rank. */
    private Optional<String> missing(int rank, RedundancySet set) {
      if (!Protection.writesRedundancy(scheme, set)) {
        return Optional.of("its files have no redundancy (" + scheme + ", a set of " + set.size() + ")");
      }
      BitSet files = members(set, member -> files(member));
      BitSet redundancy = members(set, member -> redundancy(member, set));
      if (Protection.replaces(scheme, set, rank, files::get, redundancy::get)) {
        return Optional.empty();
      }
      String lost = Stream.of(
              lacking(rank, set, "files", other -> files(other)),
              lacking(rank, set, "redundancy files", other -> redundancy(other, set)))
          .flatMap(Optional::stream).collect(Collectors.joining(" and "));
      return Optional.of("in the same " + scheme + " set " + set.ranks() + ", which tolerates " + set.failures()
          + (set.failures() == 1 ? " loss, " : " losses, ") + lost + " too");
    }

    private static BitSet members(RedundancySet set, IntFunction<String> node) {
      BitSet members = new BitSet();
      set.ranks().stream().filter(member -> !node.apply(member).isEmpty()).forEach(members::set);
      return members;
    }

    private static Optional<String> lacking(
        int rank, RedundancySet set, String what, IntFunction<String> node) {
      List<Integer> lacking =
          set.ranks().stream().filter(other -> other != rank && node.apply(other).isEmpty()).toList();
      return lacking.isEmpty() ? Optional.empty() : Optional.of("ranks " + lacking + " have lost their " + what);
    }

    /** A node that has the rank's files, else empty. */
    private String files(int rank) {
      return first(rank, Held::files);
    }

    /** A node that has the redundancy file which the rank wrote for this set, else empty. */
    private String redundancy(int rank, RedundancySet set) {
      return first(rank, held -> held.redundancy() && held.set().equals(set));
    }

    private String first(int rank, Predicate<Held> has) {
      return copies.getOrDefault(rank, List.of()).stream().filter(copy -> isThere(copy) && has.test(copy.held()))
          .map(Copy::node).findFirst().orElse("");
    }

    private boolean isThere(Copy copy) {
      return !copy.node().equals(without);
    }

    /** For each node it looks at the ranks with files there, and at those that lack theirs already. */
    DatasetStanding standing(int ranks, GroupDescriptors groups) {
      UnaryOperator<String> group = group(groups);
      List<Integer> missing = new ArrayList<>();
      SortedMap<String, List<Integer>> byNode = new TreeMap<>();
      String[] holders = new String[ranks];
      boolean single = scheme == Scheme.SINGLE;
      for (int rank = 0; rank < ranks; rank++) {
        String guarded = first(rank, held -> held.files() && held.redundancy());
        holders[rank] = guarded.isEmpty() ? files(rank) : guarded;
        if (holders[rank].isEmpty()) {
          missing.add(rank);
        }
        for (Copy copy : copies.getOrDefault(rank, List.of())) {
          byNode.computeIfAbsent(copy.node(), _ -> new ArrayList<>()).add(rank);
          single |= copy.held().set().size() == 1;
        }
      }
      String lost = whyLost(missing);
      SortedSet<String> fatal = new TreeSet<>();
      for (Map.Entry<String, List<Integer>> node : byNode.entrySet()) {
        without = node.getKey();
        if (lost.isEmpty() && !(whyLost(node.getValue()).isEmpty() && whyLost(missing).isEmpty())) {
          fatal.add(node.getKey());
        }
      }
      without = "";
      boolean whole = missing.isEmpty() && (single || protectedUnder(new RankMap(List.of(holders)), group)
          || isCovered(ranks, group));
      return new DatasetStanding(!lost.isEmpty() ? Grade.LOST : !whole ? Grade.DEGRADED
          : single ? Grade.SINGLE : Grade.FULL, missing, lost, List.copyOf(byNode.keySet()), List.copyOf(fatal));
    }

    /** Of a node, for the sets of the dataset. */
    private UnaryOperator<String> group(GroupDescriptors groups) {
      List<String> holders = copies.values().stream().flatMap(List::stream).map(Copy::node).toList();
      String kind = redundancy == null ? GroupDescriptors.NODE : groups.among(holders, redundancy.how()).group();
      return node -> groups.valueOf(kind, node);
    }

    /**
     * Whether every rank is in a whole set. Its members have files and redundancy, each in a failure group of its own.
     * Where a node has come back there may be two families of sets, and two copies of a rank.
     */
    private boolean isCovered(int ranks, UnaryOperator<String> group) {
      BitSet covered = new BitSet();
      new HashSet<>(noted).stream().filter(set -> isWhole(set, group))
          .forEach(set -> set.ranks().forEach(covered::set));
      return covered.nextClearBit(0) >= ranks;
    }

    private boolean isWhole(RedundancySet set, UnaryOperator<String> group) {
      SortedMap<Integer, List<String>> nodes = new TreeMap<>();
      set.ranks().forEach(rank -> nodes.put(rank, copies.getOrDefault(rank, List.of()).stream()
          .filter(copy -> copy.held().files() && copy.held().redundancy() && copy.held().set().equals(set))
          .map(Copy::node).toList()));
      return DistinctNodes.of(nodes, group).size() == set.size();
    }

    /** Why one of these ranks cannot be had; empty if all can. */
    private String whyLost(List<Integer> of) {
      for (int rank : of) {
        try {
          plan(rank, "");
        } catch (ScrException e) {
          return e.getMessage();
        }
      }
      return "";
    }

    /**
     * Whether every rank has files and redundancy on its own node, in sets on which their members agree. No two of a
     * set may be in one failure group.
     */
    boolean protectedUnder(RankMap map, UnaryOperator<String> group) {
      if (scheme == Scheme.SINGLE) {
        return true;
      }
      boolean oneNode = new HashSet<>(map.nodes()).size() == 1;
      Map<Integer, RedundancySet> own = new HashMap<>();
      for (int rank = 0; rank < map.size(); rank++) {
        String node = map.nodeOf(rank);
        Optional<Held> held = copies.getOrDefault(rank, List.of()).stream().filter(c -> c.node().equals(node))
            .map(Copy::held).filter(Held::files).filter(h -> h.set().size() == 1 ? oneNode : h.redundancy())
            .findFirst();
        if (held.isEmpty()) {
          return false;
        }
        own.put(rank, held.get().set());
      }
      return own.values().stream().distinct().allMatch(set -> set.ranks().stream().allMatch(r -> set.equals(own.get(r)))
          && set.ranks().stream().map(map::nodeOf).map(group).distinct().count() == set.size());
    }
  }
}
