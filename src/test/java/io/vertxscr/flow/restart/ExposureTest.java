package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.restart.Exposure.LossOutcome;
import io.vertxscr.flow.restart.Exposure.Losses;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what is predicted of a loss is what the planner then does. Method: every subset of the nodes of small clusters,
 * for all schemes, with sets of all nodes, of some, and overlapping ones, some files damaged before; the planner is
 * asked with the inventories that are left. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class ExposureTest {
  private static final String PREFIX = "/p";
  private static final FlushedCheckpoints NOTHING_FLUSHED = new FlushedCheckpoints(List.of(), Integer.MAX_VALUE, 0);
  private static final long SEED = Long.getLong("seed", 20261123);

  private static DatasetDescriptor dataset(int id, DatasetFlags flags) {
    return new DatasetDescriptor(id, "d" + id, flags, id, 1000L * id, new Job("u", "j", "1", "c"),
        new DatasetDescriptor.Totals(8, 800));
  }

  /** A dataset of some ranks on each node, each in a set. */
  private record Written(DatasetDescriptor dataset, Scheme scheme, int nodes, int perNode,
      Map<Integer, RedundancySet> setOfRank) {
    int ranks() {
      return nodes * perNode;
    }
  }

  private static Written written(int id, DatasetFlags flags, Scheme scheme, int nodes, int perNode, int setSize) {
    List<String> nodeOfRank =
        IntStream.range(0, nodes * perNode).mapToObj(rank -> "n" + rank / perNode).toList();
    Map<Integer, RedundancySet> setOfRank = new HashMap<>();
    RedundancySets.of(nodeOfRank, setSize).stream().map(set -> set.tolerating(scheme.tolerance()))
        .forEach(set -> set.ranks().forEach(rank -> setOfRank.put(rank, set)));
    return new Written(dataset(id, flags), scheme, nodes, perNode, setOfRank);
  }

  private static List<Inventory> caches(int nodes, Random damage, int oneIn, Written... all) {
    List<Inventory> caches = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      List<Inventory.Dataset> datasets = new ArrayList<>();
      for (Written written : all) {
        List<Held> held = new ArrayList<>();
        for (int rank = node * written.perNode(); node < written.nodes() && rank < (node + 1) * written.perNode();
            rank++) {
          RedundancySet set = written.setOfRank().get(rank);
          held.add(new Held(rank, set, damage.nextInt(oneIn) > 0,
              Protection.writesRedundancy(written.scheme(), set) && damage.nextInt(oneIn) > 0));
        }
        if (!held.isEmpty()) {
          datasets.add(new Inventory.Dataset(written.dataset(), new Origin(PREFIX, written.ranks()), "/tmp",
              new RedundancyDescriptor(new CheckpointDescriptor(0, true, 1, "NODE", "/tmp",
                  Redundancy.of(written.scheme(), 8), false), 1), FlushState.WANTED, held));
        }
      }
      caches.add(new Inventory("n" + node, datasets));
    }
    return caches;
  }

  private static Set<String> subset(int bits) {
    Set<String> nodes = new HashSet<>();
    IntStream.range(0, Integer.SIZE).filter(node -> (bits >> node & 1) == 1).forEach(node -> nodes.add("n" + node));
    return nodes;
  }

  /** Why the planner gives no plan. */
  private static Optional<String> refusal(DatasetDescriptor dataset, int ranks, List<Inventory> left) {
    try {
      RestorePlanner.plan(dataset, left, new RankMap(Collections.nCopies(ranks, "spare")));
      return Optional.empty();
    } catch (ScrException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** The first candidate with a plan, as a restart tries them. */
  private static Optional<Candidate> choice(RestartSources sources) {
    List<DatasetDescriptor> cached = RestorePlanner.candidates(sources.caches(), PREFIX, sources.ranks());
    return RestartOrder.of(cached, sources.flushed(), sources.history(), sources.excluded()).stream()
        .filter(candidate -> !candidate.cached()
            || refusal(candidate.descriptor(), sources.ranks(), sources.caches()).isEmpty()).findFirst();
  }

  private static void checkAllSubsets(RestartSources sources, int nodes) {
    Exposure exposure = Exposure.of(sources, List.of());
    Map<Integer, LossOutcome> outcomes = new TreeMap<>();
    for (int bits = 0; bits < 1 << nodes; bits++) {
      Set<String> gone = subset(bits);
      LossOutcome outcome = exposure.ifLost(gone);
      outcomes.put(bits, outcome);
      RestartSources left = sources.without(gone);
      for (Inventory.Dataset dataset : exposure.datasets()) {
        Optional<String> said = outcome.lost().stream().filter(lost -> lost.dataset().sameAs(dataset))
            .map(Exposure.Lost::why).findFirst();
        assertThat(said).as("%s without %s", dataset.descriptor().name(), gone)
            .isEqualTo(refusal(dataset.descriptor(), dataset.origin().ranks(), left.caches()));
      }
      assertThat(outcome.offer()).as("without %s", gone).isEqualTo(left.offer());
      if (left.ofOtherSize().isEmpty()) {
        assertThat(outcome.offer().candidate()).as("without %s", gone).isEqualTo(choice(left));
      }
      assertThat(outcome.rebuilt()).isEqualTo(outcome.offer().candidate().filter(Candidate::cached)
          .map(candidate -> rebuilt(candidate.descriptor(), left)).orElse(0));
    }
    assertThat(summary(exposure.ofAnyNode())).isEqualTo(summary(outcomes, 1));
    assertThat(summary(exposure.ofAnyTwo().losses())).isEqualTo(summary(outcomes, 2));
    assertThat(exposure.ofAnyTwo().leftOut()).isZero();
  }

  private static int rebuilt(DatasetDescriptor dataset, RestartSources left) {
    RankMap map = new RankMap(Collections.nCopies(left.ranks(), "spare"));
    return (int) RestorePlanner.plan(dataset, left.caches(), map).perNode().values().stream().flatMap(List::stream)
        .filter(rank -> rank.action() == Action.REBUILD).count();
  }

  private record Kind(Set<Integer> lost, Optional<Candidate> candidate, Optional<DatasetKey> otherSize) {
    static Kind of(LossOutcome outcome) {
      Set<Integer> lost = new HashSet<>();
      outcome.lost().forEach(one -> lost.add(one.dataset().descriptor().id()));
      return new Kind(
          lost, outcome.offer().candidate(), outcome.offer().otherSize().map(Inventory.Dataset::key));
    }
  }

  private static Map<Kind, Long> summary(List<Losses> losses) {
    Map<Kind, Long> kinds = new HashMap<>();
    losses.forEach(some -> kinds.merge(Kind.of(some.outcome()), some.count(), Long::sum));
    return kinds;
  }

  private static Map<Kind, Long> summary(Map<Integer, LossOutcome> outcomes, int nodes) {
    Map<Kind, Long> kinds = new HashMap<>();
    outcomes.forEach((bits, outcome) -> {
      if (Integer.bitCount(bits) == nodes) {
        kinds.merge(Kind.of(outcome), 1L, Long::sum);
      }
    });
    return kinds;
  }

  private static RestartSources sources(List<Inventory> caches, int ranks, DatasetDescriptor... flushed) {
    return new RestartSources(caches, PREFIX, ranks, flushed.length == 0 ? NOTHING_FLUSHED
        : new FlushedCheckpoints(List.of(flushed), Integer.MAX_VALUE, flushed[0].id()), RestartHistory.EMPTY,
        List.of());
  }

  @ParameterizedTest
  @CsvSource({"2,1,2", "3,1,3", "4,1,4", "4,1,2", "5,1,5", "6,1,3", "3,2,3", "4,2,2", "4,2,4"})
  void everyLossIsPredictedAsThePlannerThenFindsIt(int nodes, int perNode, int setSize) {
    Random damage = new Random(SEED);
    DatasetFlags checkpoint = DatasetFlags.CHECKPOINT;
    for (Scheme scheme : Scheme.values()) {
      for (Scheme older : Scheme.values()) {
        Written[] written = {written(5, checkpoint, scheme, nodes, perNode, setSize),
            written(4, DatasetFlags.OUTPUT, Scheme.SINGLE, nodes, perNode, setSize),
            written(3, checkpoint, older, nodes, perNode, nodes)};
        for (int oneIn : new int[] {Integer.MAX_VALUE, 12}) {
          List<Inventory> caches = caches(nodes, damage, oneIn, written);
          checkAllSubsets(sources(caches, nodes * perNode), nodes);
          checkAllSubsets(sources(caches, nodes * perNode, dataset(4, checkpoint), dataset(2, checkpoint)), nodes);
        }
      }
    }
  }

  /** A run of another size wrote what only two of the nodes hold: without these, the run is not refused. */
  @ParameterizedTest
  @EnumSource(Scheme.class)
  void aCheckpointOfAnotherSizeCountsAsLongAsANodeHasOfIt(Scheme scheme) {
    List<Inventory> caches = caches(4, new Random(SEED), Integer.MAX_VALUE,
        written(5, DatasetFlags.CHECKPOINT, scheme, 2, 1, 2), written(4, DatasetFlags.CHECKPOINT, scheme, 4, 1, 2));
    RestartSources sources = sources(caches, 4, dataset(1, DatasetFlags.CHECKPOINT));
    checkAllSubsets(sources, 4);
    Exposure exposure = Exposure.of(sources, List.of());
    assertThat(exposure.now().offer().otherSize()).isPresent();
    assertThat(exposure.ifLost(Set.of("n0", "n1")).offer()).satisfies(offer -> {
      assertThat(offer.otherSize()).isEmpty();
      assertThat(offer.candidate()).isPresent();
    });
  }

  /** A crash during a new protection has left nodes of the old and of the new sets. */
  @ParameterizedTest
  @EnumSource(names = {"PARTNER", "XOR"})
  void setsThatOverlapAreOnePiece(Scheme scheme) {
    List<RedundancySet> before = List.of(new RedundancySet(List.of(0, 1)), new RedundancySet(List.of(0, 1)),
        new RedundancySet(List.of(2, 3)), new RedundancySet(List.of(2, 3)));
    List<RedundancySet> after = List.of(new RedundancySet(List.of(0, 2)), new RedundancySet(List.of(1, 3)),
        new RedundancySet(List.of(0, 2)), new RedundancySet(List.of(1, 3)));
    DatasetDescriptor dataset = dataset(5, DatasetFlags.CHECKPOINT);
    for (int committed = 0; committed < 16; committed++) {
      List<Inventory> caches = new ArrayList<>();
      for (int rank = 0; rank < 4; rank++) {
        caches.add(RestorePlannerTest.inventory("n" + rank, dataset, scheme,
            new Held(rank, ((committed >> rank & 1) == 1 ? after : before).get(rank), true, true)));
      }
      checkAllSubsets(sources(caches, 4), 4);
    }
  }

  /** A restore has left the files of a rank on two nodes, and those of two ranks on one. */
  @Test
  void severalCopiesOfARankAreAllLookedFor() {
    List<RedundancySet> sets = List.of(new RedundancySet(List.of(0, 1)), new RedundancySet(List.of(2, 3)));
    DatasetDescriptor dataset = dataset(5, DatasetFlags.CHECKPOINT);
    List<Inventory> caches = List.of(
        RestorePlannerTest.inventory("n0", dataset, Scheme.XOR, new Held(0, sets.get(0), true, true)),
        RestorePlannerTest.inventory("n1", dataset, Scheme.XOR, new Held(1, sets.get(0), true, true),
            new Held(2, sets.get(1), true, false)),
        RestorePlannerTest.inventory("n2", dataset, Scheme.XOR, new Held(2, sets.get(1), true, true)),
        RestorePlannerTest.inventory("n3", dataset, Scheme.XOR, new Held(3, sets.get(1), true, true),
            new Held(0, sets.get(0), true, false)));
    checkAllSubsets(sources(caches, 4), 4);
  }

  @Test
  void nodesThatHoldNothingCountAndUnknownOnesAreRefused() {
    List<Inventory> caches = caches(3, new Random(SEED), Integer.MAX_VALUE,
        written(5, DatasetFlags.CHECKPOINT, Scheme.XOR, 3, 1, 3));
    Exposure exposure = Exposure.of(sources(caches, 3), List.of("spare", "n1"));
    assertThat(exposure.nodes()).containsExactly("n0", "n1", "n2", "spare");
    assertThat(exposure.ifLost(Set.of("spare", "n1")).lost()).isEmpty();
    assertThat(exposure.ofAnyTwo().losses()).extracting(Losses::count).containsExactly(3L, 3L);
    assertThat(exposure.ofAnyTwo().losses().getFirst().examples())
        .containsExactly(List.of("n0", "n1"), List.of("n0", "n2"), List.of("n1", "n2"));
    assertThatThrownBy(() -> exposure.ifLost(Set.of("n9"))).isInstanceOf(ScrException.class)
        .hasMessage("node 'n9' is not known; these are: n0, n1, n2, spare");
    assertThat(Exposure.of(sources(List.of(), 1), List.of()).ofAnyTwo().losses()).isEmpty();
  }

  /** All pairs of 1000 nodes with 4 ranks each and three datasets. Prints how long it takes. */
  @ParameterizedTest
  @CsvSource({"SINGLE,8", "PARTNER,8", "XOR,8", "RS,8", "XOR,100", "RS,64"})
  @Timeout(120)
  void allPairsOfAThousandNodes(Scheme scheme, int setSize) {
    int nodes = 1000;
    List<Inventory> caches = caches(nodes, new Random(SEED), Integer.MAX_VALUE,
        written(6, DatasetFlags.CHECKPOINT, scheme, nodes, 4, setSize),
        written(5, DatasetFlags.CHECKPOINT, scheme, nodes, 4, setSize),
        written(4, DatasetFlags.CHECKPOINT, Scheme.XOR, nodes, 4, 8));
    long startNs = System.nanoTime();
    Exposure exposure = Exposure.of(sources(caches, nodes * 4), List.of());
    List<Losses> one = exposure.ofAnyNode();
    long singlesNs = System.nanoTime();
    List<Losses> two = exposure.ofAnyTwo().losses();
    long pairsNs = System.nanoTime();
    System.out.printf("%s in sets of %d: %d ms for 1000 nodes, %d ms more for 499500 pairs%n", scheme, setSize,
        TimeUnit.NANOSECONDS.toMillis(singlesNs - startNs), TimeUnit.NANOSECONDS.toMillis(pairsNs - singlesNs));
    assertThat(one.stream().mapToLong(Losses::count).sum()).isEqualTo(nodes);
    assertThat(exposure.ofEachNode()).extracting(Losses::count).isEqualTo(one.stream().map(Losses::count).toList());
    assertThat(exposure.ofEachNode().stream().flatMap(kind -> kind.examples().stream()).flatMap(List::stream))
        .as("each node by name").hasSize(nodes).doesNotHaveDuplicates();
    assertThat(two.stream().mapToLong(Losses::count).sum()).isEqualTo(nodes * (nodes - 1L) / 2);
    long fatal = two.stream().filter(losses -> losses.outcome().lost().stream()
        .anyMatch(lost -> lost.dataset().descriptor().id() == 6)).mapToLong(Losses::count).sum();
    assertThat(fatal).isEqualTo(switch (scheme) {
      case SINGLE -> nodes * (nodes - 1L) / 2;
      case PARTNER -> nodes;                              // each with its neighbour in the ring of its set
      case XOR -> nodes / setSize * (setSize * (setSize - 1L) / 2);
      case RS -> 0;
    });
  }

  @Test
  void pairsOfTooLargeSetsAreLeftOutAndCounted() {
    int nodes = Exposure.MOST_NODES_FOR_PAIRS + 1;
    List<Inventory> caches = caches(nodes, new Random(SEED), Integer.MAX_VALUE,
        written(6, DatasetFlags.CHECKPOINT, Scheme.XOR, nodes, 1, nodes));
    Exposure exposure = Exposure.of(sources(caches, nodes), List.of("spare"));
    assertThat(exposure.ofAnyTwo().leftOut()).isEqualTo(nodes * (nodes - 1L) / 2);
    assertThat(exposure.ofAnyTwo().losses()).singleElement().satisfies(losses -> {
      assertThat(losses.outcome().lost()).isEmpty();
      assertThat(losses.count()).as("each with the spare one").isEqualTo(nodes);
    });
    assertThat(exposure.ifLost(Set.of("n0", "n1")).lost()).hasSize(1);
  }
}
