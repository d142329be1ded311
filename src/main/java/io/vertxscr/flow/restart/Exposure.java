package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartSources.Offer;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Plural;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Consequences of losses of nodes: which cached datasets go, and what a restart would take. Pure.
 *
 * <p>Nothing here knows a scheme. Whether files can be had is asked of {@link RestorePlanner}, what a restart takes of
 * {@link RestartSources}. To ask about all pairs of a thousand nodes, a dataset is divided into pieces: ranks of one
 * redundancy set, or of sets that overlap. A rank is rebuilt from its own piece alone, so a pair of nodes loses what
 * each of them loses, and besides only pieces that both have a part of. Only those pairs are planned, and of pieces
 * that differ in nothing but the names of nodes and the numbers of ranks only the first.
 */
public final class Exposure {
  /** The pairs within a larger piece are not planned. */
  static final int MOST_NODES_FOR_PAIRS = 128;
  private static final int MOST_EXAMPLES = 6;

  private final RestartSources sources;
  private final List<String> nodes;
  private final List<DatasetPieces> datasets;

  private Exposure(RestartSources sources, Collection<String> nodes, List<DatasetPieces> datasets) {
    this.sources = sources;
    this.nodes = List.copyOf(nodes);
    this.datasets = datasets;
  }

  /** A dataset that the caches could not give any more, with the first rank that is in the way. */
  public record Lost(Inventory.Dataset dataset, String why) {}

  /**
   * The state after a loss.
   *
   * @param lost datasets that the caches cannot give, newest first; also those that they cannot give now
   * @param rebuilt ranks whose files the restart would rebuild; 0 where it would not use the caches
   */
  public record LossOutcome(Offer offer, List<Lost> lost, int rebuilt) {
    /** Whether the caches could not give this dataset. */
    public boolean loses(DatasetKey dataset) {
      return lost.stream().anyMatch(one -> one.dataset().key().equals(dataset));
    }
  }

  /**
   * Losses with the same consequences.
   *
   * @param outcome of the first of them; others may differ in the ranks that they name
   * @param examples the first few, each the nodes of one loss
   */
  public record Losses(LossOutcome outcome, long count, List<List<String>> examples) {}

  /**
   * Looks at the datasets of the prefix directory of these sources.
   *
   * @param knownNodes nodes that may be lost; those that hold nothing besides those that the sources name
   */
  public static Exposure of(RestartSources sources, Collection<String> knownNodes) {
    SortedSet<String> nodes = new TreeSet<>(knownNodes);
    sources.caches().forEach(cache -> nodes.add(cache.node()));
    Map<DatasetPieces.PieceShape, DatasetPieces.FatalNodes> known = new HashMap<>();
    return new Exposure(sources, nodes, CacheSnapshot.of(sources.caches())
        .datasets(copy -> copy.origin().prefix().equals(sources.prefix())).stream()
        .sorted(Comparator.comparing(Inventory.Dataset::descriptor, DatasetDescriptor.BY_AGE).reversed())
        .map(dataset -> DatasetPieces.of(dataset, sources.caches(), known)).toList());
  }

  /** All nodes that may be lost, in order. */
  public List<String> nodes() {
    return nodes;
  }

  /** The datasets of the caches, newest first, as one of their nodes has them. */
  public List<Inventory.Dataset> datasets() {
    return datasets.stream().map(DatasetPieces::dataset).toList();
  }

  public RestartSources sources() {
    return sources;
  }

  /** The state without any further loss. */
  public LossOutcome now() {
    return ifLost(Set.of());
  }

  /** The state after the loss of all these nodes at once. @throws ScrException BAD_REQUEST for an unknown node */
  public LossOutcome ifLost(Collection<String> lost) {
    Set<String> gone = new HashSet<>(lost);
    gone.stream().filter(node -> Collections.binarySearch(nodes, node) < 0).sorted().findFirst().ifPresent(node -> {
      throw new ScrException(Fault.BAD_REQUEST, "node '" + node + "' is not known; " + (nodes.isEmpty()
          ? "no node is" : "these are: " + Plural.list(nodes, 20)));
    });
    List<Lost> losses = new ArrayList<>();
    Set<DatasetKey> keys = new HashSet<>();
    for (DatasetPieces dataset : datasets) {
      dataset.obstacle(gone).ifPresent(obstacle -> {
        losses.add(new Lost(dataset.dataset(), obstacle.why()));
        keys.add(dataset.dataset().key());
      });
    }
    RestartSources left = sources.without(gone);
    Offer offer = left.offer(descriptor -> !keys.contains(descriptor.key()));
    return new LossOutcome(offer, losses, offer.candidate().filter(Candidate::cached)
        .map(candidate -> rebuilt(candidate.descriptor(), left)).orElse(0));
  }

  private static int rebuilt(DatasetDescriptor dataset, RestartSources left) {
    RankMap anywhere = new RankMap(Collections.nCopies(left.writers(dataset), left.caches().getFirst().node()));
    return (int) RestorePlanner.plan(dataset, left.caches(), anywhere).perNode().values().stream()
        .flatMap(List::stream).filter(rank -> rank.action() == Action.REBUILD).count();
  }

  /** Every loss of one node, grouped by the consequences, the worst first. */
  public List<Losses> ofAnyNode() {
    return ofNodes(MOST_EXAMPLES);
  }

  /** The same with all nodes as examples: what the loss of each would cost. */
  public List<Losses> ofEachNode() {
    return ofNodes(Integer.MAX_VALUE);
  }

  private List<Losses> ofNodes(int mostExamples) {
    Consequences all = new Consequences(mostExamples);
    for (String node : nodes) {
      all.add(all.ofNode(node), () -> List.of(node));
    }
    return all.worstFirst();
  }

  /**
   * Losses of two nodes at once.
   *
   * @param losses grouped by the consequences, the worst first
   * @param leftOut pairs that are in none of them, because they have a piece of too many nodes in common
   */
  public record Pairs(List<Losses> losses, long leftOut) {}

  /** Every loss of two nodes at once. */
  public Pairs ofAnyTwo() {
    Consequences all = new Consequences(MOST_EXAMPLES);
    Set<BitSet> tooLarge = new HashSet<>();
    datasets.forEach(dataset -> dataset.tooLarge().forEach(names -> {
      BitSet indexes = new BitSet();
      names.forEach(node -> indexes.set(Collections.binarySearch(nodes, node)));
      tooLarge.add(indexes);
    }));
    long leftOut = 0;
    Map<Integer, Map<Integer, BitSet>> together = new HashMap<>();
    for (int d = 0; d < datasets.size(); d++) {
      for (List<String> pair : datasets.get(d).fatalPairs()) {
        together.computeIfAbsent(Collections.binarySearch(nodes, pair.getFirst()), _ -> new HashMap<>())
            .computeIfAbsent(Collections.binarySearch(nodes, pair.getLast()), _ -> new BitSet()).set(d);
      }
    }
    List<BitSet> alone = nodes.stream().map(all::ofNode).toList();
    for (int i = 0; i < nodes.size(); i++) {
      Map<Integer, BitSet> withThis = together.getOrDefault(i, Map.of());
      for (int j = i + 1; j < nodes.size(); j++) {
        if (areIn(tooLarge, i, j)) {
          leftOut++;
          continue;
        }
        BitSet lost = withThis.get(j);
        BitSet key = alone.get(i).isEmpty() && lost == null ? alone.get(j) : union(alone.get(i), alone.get(j), lost);
        String first = nodes.get(i);
        String second = nodes.get(j);
        all.add(all.unseen(key, i, j), () -> List.of(first, second));
      }
    }
    return new Pairs(all.worstFirst(), leftOut);
  }

  private static boolean areIn(Set<BitSet> any, int first, int second) {
    for (BitSet one : any) {
      if (one.get(first) && one.get(second)) {
        return true;
      }
    }
    return false;
  }

  private static BitSet union(BitSet first, BitSet second, BitSet third) {
    BitSet union = (BitSet) first.clone();
    union.or(second);
    if (third != null) {
      union.or(third);
    }
    return union;
  }

  /**
   * Losses by what they cost: a bit for each dataset that goes. There is a second one for each of which no copy at all
   * is left, since a restart does not even see it then.
   */
  private final class Consequences {
    private static final class Group {
      private long count;
      private final List<List<String>> examples = new ArrayList<>();
    }

    private final int mostExamples;
    private final Map<BitSet, Group> groups = new HashMap<>();
    private final List<Set<Integer>> holders = datasets.stream().map(dataset -> {
      Set<Integer> indexes = new HashSet<>();
      dataset.holders().forEach(node -> indexes.add(Collections.binarySearch(nodes, node)));
      return indexes;
    }).toList();

    Consequences(int mostExamples) {
      this.mostExamples = mostExamples;
    }

    BitSet ofNode(String node) {
      BitSet lost = new BitSet();
      for (int d = 0; d < datasets.size(); d++) {
        lost.set(d, datasets.get(d).fatalNodes().contains(node));
        lost.set(datasets.size() + d, datasets.get(d).holders().equals(Set.of(node)));
      }
      return lost;
    }

    /** Marks datasets that were on these two nodes and nowhere else. */
    BitSet unseen(BitSet lost, int first, int second) {
      BitSet all = lost;
      for (int d = 0; d < holders.size(); d++) {
        if (holders.get(d).size() == 2 && holders.get(d).contains(first) && holders.get(d).contains(second)) {
          all = union(all, new BitSet(), null);
          all.set(datasets.size() + d);
        }
      }
      return all;
    }

    void add(BitSet lost, Supplier<List<String>> loss) {
      Group group = groups.computeIfAbsent(lost, _ -> new Group());
      group.count++;
      if (group.examples.size() < mostExamples) {
        group.examples.add(loss.get());
      }
    }

    List<Losses> worstFirst() {
      List<Candidate> order = sources.candidates();
      return groups.values().stream()
          .map(group -> new Losses(ifLost(group.examples.getFirst()), group.count, List.copyOf(group.examples)))
          .sorted(Comparator.comparingInt((Losses losses) ->
                  losses.outcome().offer().candidate().map(order::indexOf).orElse(Integer.MAX_VALUE))
              .thenComparingInt(losses -> losses.outcome().lost().size())
              .thenComparingLong(Losses::count).reversed()
              .thenComparing(losses -> losses.examples().getFirst().toString()))
          .toList();
    }
  }
}
