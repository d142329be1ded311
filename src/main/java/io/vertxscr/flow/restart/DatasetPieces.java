package io.vertxscr.flow.restart;

import io.vertxscr.flow.restart.RestorePlanner.Obstacle;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Job;
import io.vertxscr.model.RedundancySet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
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
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** One cached dataset, divided into pieces whose ranks are rebuilt from each other alone ({@link Exposure}). Pure. */
final class DatasetPieces {
  private final Inventory.Dataset dataset;
  private final Set<String> holders;
  private final List<Piece> pieces;
  private final Map<String, List<Piece>> ofNode = new HashMap<>();
  private final List<Obstacle> now;
  private final Map<PieceShape, FatalNodes> known;
  private Set<String> fatalNodes;

  private DatasetPieces(
      Inventory.Dataset dataset, Set<String> holders, List<Piece> pieces, Map<PieceShape, FatalNodes> known) {
    this.dataset = dataset;
    this.holders = holders;
    this.pieces = pieces;
    this.known = known;
    pieces.forEach(piece -> piece.caches().forEach(cache ->
        ofNode.computeIfAbsent(cache.node(), _ -> new ArrayList<>()).add(piece)));
    now = pieces.stream().flatMap(piece -> piece.obstacle(dataset.descriptor(), Set.of()).stream()).toList();
  }

  static DatasetPieces of(Inventory.Dataset dataset, List<Inventory> caches, Map<PieceShape, FatalNodes> known) {
    Set<String> holders = new LinkedHashSet<>();
    Division division = new Division(dataset.origin().ranks());
    for (Inventory cache : caches) {
      copies(cache, dataset).forEach(copy -> {
        holders.add(cache.node());
        copy.ranks().forEach(division::join);
      });
    }
    for (Inventory cache : caches) {
      copies(cache, dataset).forEach(copy -> division.add(cache.node(), copy));
    }
    return new DatasetPieces(dataset, holders, division.all(), known);
  }

  private static Stream<Inventory.Dataset> copies(Inventory cache, Inventory.Dataset dataset) {
    return cache.datasets().stream().filter(dataset::sameAs);
  }

  Inventory.Dataset dataset() {
    return dataset;
  }

  Set<String> holders() {
    return holders;
  }

  /** The lowest rank that could not be had. */
  Optional<Obstacle> obstacle(Set<String> without) {
    Set<Piece> touched = Collections.newSetFromMap(new IdentityHashMap<>());
    without.forEach(node -> touched.addAll(ofNode.getOrDefault(node, List.of())));
    return Stream.concat(touched.stream().flatMap(piece -> piece.obstacle(dataset.descriptor(), without).stream()),
            now.stream()).min(Comparator.comparingInt(Obstacle::rank));  // of one rank, what is so after the loss
  }

  /** Nodes whose loss alone loses it; of one that is lost already, none. */
  Set<String> fatalNodes() {
    if (fatalNodes == null) {
      fatalNodes = new HashSet<>();
      eachPiece((piece, fatal) ->
          fatal.alone().stream().mapToObj(piece::node).forEach(fatalNodes::add));
    }
    return fatalNodes;
  }

  /** Pairs whose loss loses it, where neither of them loses that piece alone; each in order. */
  Set<List<String>> fatalPairs() {
    Set<List<String>> fatal = new HashSet<>();
    eachPiece((piece, nodes) -> nodes.pairs().forEach(pair ->
        fatal.add(Stream.of(piece.node(pair[0]), piece.node(pair[1])).sorted().toList())));
    return fatal;
  }

  /** The nodes of each piece whose pairs were not planned, without those whose loss alone loses it. */
  List<List<String>> tooLarge() {
    List<List<String>> found = new ArrayList<>();
    eachPiece((piece, fatal) -> {
      if (fatal.tooLarge()) {
        found.add(piece.caches().stream().map(Inventory::node).filter(node -> !fatalNodes().contains(node)).toList());
      }
    });
    return found;
  }

  private void eachPiece(BiConsumer<Piece, FatalNodes> what) {
    for (Piece piece : now.isEmpty() ? pieces : List.<Piece>of()) {
      what.accept(piece, known.computeIfAbsent(piece.shape(), PieceShape::fatalNodes));
    }
  }

  /** Ranks of one redundancy set or of sets that overlap, and what the nodes have of them. */
  private record Piece(List<Integer> ranks, List<Inventory> caches) {
    Optional<Obstacle> obstacle(DatasetDescriptor dataset, Collection<String> without) {
      return RestorePlanner.obstacle(
          dataset, caches.stream().filter(cache -> !without.contains(cache.node())).toList(), ranks);
    }

    String node(int index) {
      return caches.get(index).node();
    }

    /** The same with ranks and nodes numbered from 0, in the same order, of a dataset without a name. */
    PieceShape shape() {
      SortedSet<Integer> all = new TreeSet<>(ranks);
      caches.forEach(cache -> held(cache).forEach(held -> {
        all.add(held.rank());
        all.addAll(held.set().ranks());
      }));
      Map<Integer, Integer> numbers = new HashMap<>();
      all.forEach(rank -> numbers.put(rank, numbers.size()));
      Map<RedundancySet, RedundancySet> sets = new HashMap<>();
      List<Inventory> named = new ArrayList<>();
      for (Inventory cache : caches) {
        List<Inventory.Held> renamed = held(cache).map(held -> new Inventory.Held(numbers.get(held.rank()),
            sets.computeIfAbsent(held.set(), set -> new RedundancySet(
                set.ranks().stream().map(numbers::get).toList(), set.failures())),
            held.files(), held.redundancy())).toList();
        named.add(new Inventory(String.valueOf(named.size()), List.of(new Inventory.Dataset(PieceShape.DATASET,
            PieceShape.ORIGIN, "", cache.datasets().getFirst().redundancy(), FlushState.NOT_WANTED, renamed))));
      }
      return new PieceShape(ranks.stream().map(numbers::get).toList(), named);
    }

    private static Stream<Inventory.Held> held(Inventory cache) {
      return cache.datasets().stream().flatMap(copy -> copy.ranks().stream());
    }
  }

  /** A piece without names, which may be that of many. */
  record PieceShape(List<Integer> ranks, List<Inventory> caches) {
    private static final DatasetDescriptor DATASET = new DatasetDescriptor(1, "any", DatasetFlags.CHECKPOINT, 1, 0,
        new Job("", "", "", ""), DatasetDescriptor.Totals.NONE);
    private static final Origin ORIGIN = new Origin("", 1);

    FatalNodes fatalNodes() {
      BitSet alone = new BitSet();
      for (int i = 0; i < caches.size(); i++) {
        alone.set(i, isFatal(i, i));
      }
      List<int[]> pairs = new ArrayList<>();
      boolean all = caches.size() - alone.cardinality() <= Exposure.MOST_NODES_FOR_PAIRS;
      for (int i = 0; all && i < caches.size(); i++) {
        for (int j = i + 1; j < caches.size(); j++) {
          if (!alone.get(i) && !alone.get(j) && isFatal(i, j)) {
            pairs.add(new int[] {i, j});
          }
        }
      }
      return new FatalNodes(alone, pairs, !all);
    }

    private boolean isFatal(int first, int second) {
      List<Inventory> left = new ArrayList<>(caches);
      left.remove(Math.max(first, second));
      if (first != second) {
        left.remove(Math.min(first, second));
      }
      return RestorePlanner.obstacle(DATASET, left, ranks).isPresent();
    }
  }

  /**
   * Which losses of nodes lose a piece.
   *
   * @param alone indexes of nodes whose loss does
   * @param pairs two such indexes, ascending, of nodes neither of which does alone
   * @param tooLarge whether pairs were not planned
   */
  record FatalNodes(BitSet alone, List<int[]> pairs, boolean tooLarge) {}

  /** Divides the ranks of a dataset: first all sets are joined, then what the nodes hold is added. */
  private static final class Division {
    private final int worldRanks;
    private final Map<Integer, Integer> parents = new TreeMap<>();
    private final Map<Integer, List<Inventory>> caches = new HashMap<>();

    Division(int worldRanks) {
      this.worldRanks = worldRanks;
      for (int rank = 0; rank < worldRanks; rank++) {
        parents.put(rank, rank);
      }
    }

    private int root(int rank) {
      int root = rank;
      while (parents.computeIfAbsent(root, same -> same) != root) {
        root = parents.get(root);
      }
      parents.put(rank, root);
      return root;
    }

    void join(Inventory.Held held) {
      int root = root(held.rank());
      for (int member : held.set().ranks()) {
        parents.put(root(member), root);
      }
    }

    void add(String node, Inventory.Dataset copy) {
      Map<Integer, List<Inventory.Held>> parts = new TreeMap<>();
      copy.ranks().forEach(held -> parts.computeIfAbsent(root(held.rank()), _ -> new ArrayList<>()).add(held));
      parts.forEach((root, held) -> caches.computeIfAbsent(root, _ -> new ArrayList<>())
          .add(new Inventory(node, List.of(new Inventory.Dataset(copy.descriptor(), copy.origin(), copy.base(),
              copy.redundancy(), copy.flush(), held)))));
    }

    List<Piece> all() {
      Map<Integer, List<Integer>> ranks = new TreeMap<>();
      for (int rank = 0; rank < worldRanks; rank++) {
        ranks.computeIfAbsent(root(rank), _ -> new ArrayList<>()).add(rank);
      }
      List<Piece> pieces = new ArrayList<>();
      ranks.forEach((root, of) -> pieces.add(new Piece(of, caches.getOrDefault(root, List.of()))));
      return pieces;
    }
  }
}
