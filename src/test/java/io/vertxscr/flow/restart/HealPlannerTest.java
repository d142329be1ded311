package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.restart.DatasetStanding.Grade;
import io.vertxscr.flow.restart.HealPlan.HealPart;
import io.vertxscr.flow.restart.HealPlanner.HealPlaces;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.placement.RedundancySets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: whatever loss a restart could repair is healed, so that the next one is survived too. Method:
 * every subset of nodes is lost; the plan is carried out on the model of the caches, also interrupted behind each of
 * its steps; then every further loss that the scheme promises to survive.
 */
@Execution(ExecutionMode.CONCURRENT)
class HealPlannerTest {
  private static final int RANK_BYTES = 100;

  /** What each node holds: by rank. */
  private final SortedMap<String, SortedMap<Integer, Held>> nodes = new TreeMap<>();
  private Scheme scheme;
  private int setSize;
  private int ranks;
  private GroupDescriptors groups = GroupDescriptors.BUILT_IN;
  private final Set<String> drained = new TreeSet<>();
  private FlushState flush = FlushState.NOT_WANTED;

  private Redundancy how() {
    return Redundancy.of(scheme, setSize);
  }

  private Inventory.Dataset dataset(List<Held> held) {
    DatasetDescriptor descriptor = new DatasetDescriptor(5, "d5", DatasetFlags.CHECKPOINT, 5, 1,
        new Job("u", "j", "1", "c"), new Totals(ranks, (long) RANK_BYTES * ranks));
    return new Inventory.Dataset(descriptor, new Origin("/p", ranks), "/tmp", new RedundancyDescriptor(
        new CheckpointDescriptor(0, true, 1, groups.nodes().isEmpty() ? "NODE" : "POWER", "/tmp", how(), false), 1),
        flush, held);
  }

  private List<Inventory> caches(SortedMap<String, SortedMap<Integer, Held>> of) {
    return of.entrySet().stream().map(node -> new Inventory(node.getKey(), node.getValue().isEmpty() ? List.of()
        : List.of(dataset(List.copyOf(node.getValue().values()))), Set.of(), drained.contains(node.getKey()))).toList();
  }

  private static SortedMap<String, SortedMap<Integer, Held>> copy(SortedMap<String, SortedMap<Integer, Held>> of) {
    SortedMap<String, SortedMap<Integer, Held>> copy = new TreeMap<>();
    of.forEach((node, held) -> copy.put(node, new TreeMap<>(held)));
    return copy;
  }

  /** Ranks on these nodes as a run would have protected them. */
  private void whole(int holders, int perNode, int spares) {
    nodes.clear();
    ranks = holders * perNode;
    List<String> map = IntStream.range(0, ranks).mapToObj(rank -> "n" + rank / perNode).toList();
    protect(nodes, new RankMap(map));
    IntStream.range(0, spares).forEach(spare -> nodes.put("s" + spare, new TreeMap<>()));
  }

  /** As PROTECT and PROTECT_COMMIT do on the nodes of the map; on these of them. */
  private void protect(SortedMap<String, SortedMap<Integer, Held>> on, RankMap map, String... some) {
    List<String> which = some.length == 0 ? List.copyOf(map.byNode().keySet()) : List.of(some);
    int failures = Protection.failures(scheme, how().failures());
    String group = groups.nodes().isEmpty() ? "NODE" : "POWER";
    List<RedundancySet> sets = RedundancySets.of(map.nodes().stream().map(node -> groups.valueOf(group, node)).toList(),
        Protection.minSetSize(scheme, how().setSize(), failures)).stream().map(s -> s.tolerating(failures)).toList();
    which.forEach(node -> on.put(node, new TreeMap<>()));
    sets.forEach(set -> set.ranks().stream().filter(rank -> which.contains(map.nodeOf(rank))).forEach(rank ->
        on.get(map.nodeOf(rank)).put(rank, new Held(rank, set, true, Protection.writesRedundancy(scheme, set)))));
  }

  private static void make(SortedMap<String, SortedMap<Integer, Held>> on, HealPart part) {
    Held held = on.get(part.node()).get(part.rank());
    if (part.what() == HeldPart.FILES) {
      on.get(part.node()).put(part.rank(), new Held(part.rank(), part.set(), true, false));
    } else {
      assertThat(held.files()).as("files before redundancy").isTrue();
      assertThat(held.set()).isEqualTo(part.set());
      on.get(part.node()).put(part.rank(), new Held(part.rank(), part.set(), true, true));
    }
  }

  private HealPlan plan(SortedMap<String, SortedMap<Integer, Held>> on, long free) {
    Map<String, Long> room = new HashMap<>();
    on.keySet().forEach(node -> room.put(node, free));
    return HealPlanner.plan(dataset(List.of()), caches(on), new HealPlaces(groups, room));
  }

  private Grade grade(SortedMap<String, SortedMap<Integer, Held>> on) {
    return RestorePlanner.standing(dataset(List.of()).descriptor(), caches(on), ranks, groups).state();
  }

  private SortedMap<String, SortedMap<Integer, Held>> without(
      SortedMap<String, SortedMap<Integer, Held>> of, int bits) {
    SortedMap<String, SortedMap<Integer, Held>> left = new TreeMap<>();
    int at = 0;
    for (String node : of.keySet()) {
      if ((bits >> at++ & 1) == 0) {
        left.put(node, new TreeMap<>(of.get(node)));
      }
    }
    return left;
  }

  private boolean canBeHad(SortedMap<String, SortedMap<Integer, Held>> on) {
    return RestorePlanner.obstacle(dataset(List.of()).descriptor(), caches(on),
        IntStream.range(0, ranks).boxed().toList()).isEmpty();
  }

  /** Carries out a plan. */
  private void heal(SortedMap<String, SortedMap<Integer, Held>> on, HealPlan plan) {
    List<HealPart> left = plan.parts();
    while (!left.isEmpty()) {
      assertThat(plan.left(dataset(List.of()).key(), caches(on))).isEqualTo(left);
      make(on, left.getFirst());
      left = left.subList(1, left.size());
    }
    assertThat(plan.left(dataset(List.of()).key(), caches(on))).isEmpty();
    plan.newSets().ifPresent(map -> protect(on, map));
  }

  @ParameterizedTest(name = "{0}, sets of {1}, {2} nodes with {3} ranks each, {4} spares")
  @CsvSource({"XOR,8,5,1,0", "XOR,8,3,2,1", "XOR,8,4,1,1", "XOR,3,6,1,0", "XOR,3,6,2,1", "PARTNER,8,4,1,0",
      "PARTNER,8,4,2,1", "RS,8,4,1,2", "RS,8,6,1,0", "RS,3,6,1,1", "RS,8,5,2,1", "XOR,2,4,1,0"})
  void everyLossThatARestartCouldRepairIsHealedAndTheNextOneIsSurvivedToo(
      String name, int size, int holders, int perNode, int spares) {
    scheme = Scheme.valueOf(name);
    setSize = size;
    whole(holders, perNode, spares);
    SortedMap<String, SortedMap<Integer, Held>> before = copy(nodes);
    int healed = 0;
    for (int lost = 1; lost < 1 << holders; lost++) {
      SortedMap<String, SortedMap<Integer, Held>> left = without(before, lost);
      if (!canBeHad(left)) {
        assertThat(new HealNeeds(caches(left), groups).degraded()).isEmpty();
        assertThat(new HealNeeds(caches(left), groups).isAnyLacking())
            .isEqualTo(left.values().stream().anyMatch(n -> !n.isEmpty()));
        assertThatThrownBy(() -> plan(left, Long.MAX_VALUE)).isInstanceOfSatisfying(ScrException.class,
            e -> assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST));
        continue;
      }
      assertThat(new HealNeeds(caches(left), groups).degraded()).hasSize(1);
      HealPlan plan;
      try {
        plan = plan(left, Long.MAX_VALUE / 4);
      } catch (ScrException e) {
        assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST);
        assertThat(e.getMessage()).contains("would tolerate");
        assertThat(ranks / Math.ceilDiv(ranks, left.size())).as("ranks in the smallest set of these nodes")
            .isLessThanOrEqualTo(how().failures());
        continue;
      }
      checkHealed(left, plan, before);
      healed++;
    }
    assertThat(healed).isPositive();
  }

  private void checkHealed(SortedMap<String, SortedMap<Integer, Held>> left, HealPlan plan,
      SortedMap<String, SortedMap<Integer, Held>> before) {
    for (int done = 0; done < plan.parts().size(); done++) {      // interrupted behind each step
      SortedMap<String, SortedMap<Integer, Held>> some = copy(left);
      plan.parts().subList(0, done).forEach(part -> make(some, part));
      assertThat(grade(some)).isEqualTo(Grade.DEGRADED);
      HealPlan again = plan(some, Long.MAX_VALUE / 4);
      heal(some, again);
      assertThat(grade(some)).as("%s behind %s of %s", again, done, plan).isEqualTo(Grade.FULL);
      assertThat(again.parts()).as("nothing twice").noneMatch(plan.parts().subList(0, done)::contains);
    }
    if (plan.newSets().isPresent()) {                             // or within the commit
      RankMap map = plan.newSets().get();
      SortedMap<String, SortedMap<Integer, Held>> some = copy(left);
      plan.parts().forEach(part -> make(some, part));
      protect(some, map, map.nodeOf(0));
      HealPlan again = plan(some, Long.MAX_VALUE / 4);
      heal(some, again);
      assertThat(grade(some)).as("%s within %s", again, plan).isEqualTo(Grade.FULL);
    }
    SortedMap<String, SortedMap<Integer, Held>> after = copy(left);
    heal(after, plan);
    assertThat(grade(after)).as("%s", plan).isEqualTo(Grade.FULL);
    assertThat(plan(after, 0).steps()).as("nothing is left to do").isZero();
    for (int more = 0; more < 1 << after.size(); more++) {
      if (Integer.bitCount(more) <= weakest(after)) {
        assertThat(canBeHad(without(after, more))).as("%s, then without %s of %s", plan, more, after.keySet()).isTrue();
      }
    }
    before.forEach((node, held) -> {                              // and they come back
      SortedMap<String, SortedMap<Integer, Held>> returned = copy(after);
      returned.putIfAbsent(node, held);
      assertThat(grade(returned)).as("%s, then %s is back", plan, node).isEqualTo(Grade.FULL);
    });
  }

  private static int weakest(SortedMap<String, SortedMap<Integer, Held>> of) {
    return of.values().stream().flatMap(held -> held.values().stream()).mapToInt(held -> held.set().failures()).min()
        .orElse(0);
  }

  @ParameterizedTest(name = "{0}, sets of {1}, {2} nodes with {3} ranks each, {4} spares")
  @CsvSource({"XOR,8,5,1,0", "XOR,8,3,2,1", "XOR,3,6,1,0", "XOR,3,6,2,1", "PARTNER,8,4,1,0", "PARTNER,8,4,2,1",
      "RS,8,4,1,2", "RS,8,6,1,0", "RS,3,6,1,1", "XOR,2,4,1,0", "SINGLE,8,4,2,0", "SINGLE,8,3,1,2", "XOR,8,1,2,1"})
  void everySubsetOfNodesThatCanBeDrainedIsNotNeededBehindIt(
      String name, int size, int holders, int perNode, int spares) {
    scheme = Scheme.valueOf(name);
    setSize = size;
    whole(holders, perNode, spares);
    SortedMap<String, SortedMap<Integer, Held>> before = copy(nodes);
    Grade grade = grade(before);
    int tolerated = weakest(before);
    int done = 0;
    for (int chosen = 1; chosen < 1 << before.size(); chosen++) {
      drained.clear();
      drained.addAll(before.keySet());
      drained.removeAll(without(before, chosen).keySet());
      boolean holds = drained.stream().anyMatch(node -> !before.get(node).isEmpty());
      assertThat(new HealNeeds(caches(before), groups).toMove()).as("%s", drained).hasSize(holds ? 1 : 0);
      HealPlan plan;
      try {
        plan = plan(before, Long.MAX_VALUE / 4);
      } catch (ScrException e) {
        assertThat(e.getMessage()).contains("dataset 5", "cannot be held without " + String.join(", ", drained));
        int stay = before.size() - drained.size();
        assertThat(stay == 0 ? 0 : ranks / Math.ceilDiv(ranks, stay)).as("ranks in the smallest set of these nodes")
            .isLessThanOrEqualTo(tolerated);
        continue;
      }
      assertThat(plan.parts()).noneMatch(part -> drained.contains(part.node()));
      assertThat(plan.newSets().map(RankMap::nodes).orElse(List.of())).doesNotContainAnyElementsOf(drained);
      for (int made = 0; made <= plan.parts().size(); made++) {     // interrupted behind each step
        SortedMap<String, SortedMap<Integer, Held>> some = copy(before);
        plan.parts().subList(0, made).forEach(part -> make(some, part));
        assertThat(grade(some)).as("nothing is worse meanwhile").isEqualTo(grade);
        heal(some, plan(some, Long.MAX_VALUE / 4));
        assertThat(new HealNeeds(caches(some), groups).toMove()).as("%s without %s", plan, drained).isEmpty();
        some.keySet().removeAll(drained);
        assertThat(grade(some)).isEqualTo(grade);
        assertThat(weakest(some)).isGreaterThanOrEqualTo(tolerated);
      }
      done++;
    }
    assertThat(done).isPositive();
  }

  @Test
  void whatThePrefixDirectoryHasNeedsNoDrainedNodeAndWhatIsLostAlreadyNeither() {
    scheme = Scheme.XOR;
    setSize = 4;
    whole(4, 1, 1);
    drained.add("n2");
    assertThat(new HealNeeds(caches(nodes), groups).toMove()).hasSize(1);
    flush = FlushState.DONE;
    assertThat(new HealNeeds(caches(nodes), groups).toMove()).isEmpty();
    flush = FlushState.WANTED;
    nodes.remove("n0");
    assertThat(new HealNeeds(caches(nodes), groups).toMove()).as("degraded").hasSize(1);
    nodes.remove("n1");
    assertThat(new HealNeeds(caches(nodes), groups).toMove()).as("lost").isEmpty();
    assertThat(new HealNeeds(caches(nodes), groups).lostForNow("n2")).hasSize(1);
    assertThat(new HealNeeds(caches(nodes), groups).lostForNow("s0")).isEmpty();
  }

  @Test
  void aPlanSaysWhatItTakesOfEachNode() {
    scheme = Scheme.SINGLE;
    setSize = 8;
    whole(3, 2, 1);
    drained.add("n1");
    assertThat(plan(nodes, Long.MAX_VALUE / 4).bytes()).isEqualTo(Map.of("s0", 2L * RANK_BYTES));
    assertThatThrownBy(() -> plan(nodes, 2 * RANK_BYTES - 1)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NO_SPACE)).hasMessageContaining("room");
  }

  @Test
  void theRanksOfALostNodeGoToOneSpareTogetherAndOnlyTheyAreMade() {
    scheme = Scheme.XOR;
    setSize = 4;
    whole(4, 3, 2);
    nodes.remove("n2");
    HealPlan plan = plan(nodes, Long.MAX_VALUE / 4);
    assertThat(plan.newSets()).isEmpty();
    assertThat(plan.parts()).hasSize(6).allMatch(part -> part.node().equals("s0"));
    assertThat(plan.parts()).extracting(HealPart::rank).containsExactly(6, 7, 8, 6, 7, 8);
  }

  @Test
  void withoutASpareANodeOfAnotherSetTakesThem() {
    scheme = Scheme.XOR;
    setSize = 3;
    whole(6, 1, 0);
    RedundancySet set = nodes.get("n2").get(2).set();
    nodes.remove("n2");
    HealPlan plan = plan(nodes, Long.MAX_VALUE / 4);
    assertThat(plan.newSets()).isEmpty();
    assertThat(plan.parts()).hasSize(2)
        .allMatch(part -> part.rank() == 2 && !set.ranks().contains(Integer.parseInt(part.node().substring(1))));
  }

  @Test
  void failureGroupsAreKeptApart() {
    scheme = Scheme.XOR;
    setSize = 2;
    SortedMap<String, SortedMap<String, String>> power = new TreeMap<>();
    List.of("n0", "n1", "n2", "n3", "s0", "s1").forEach(node -> power.put(node, new TreeMap<>(Map.of(
        "POWER", List.of("n0", "n1", "s0").contains(node) ? "left" : "right"))));
    groups = new GroupDescriptors(power);
    whole(4, 1, 2);
    nodes.remove("n3");
    assertThat(plan(nodes, Long.MAX_VALUE / 4).parts()).isNotEmpty().allMatch(part -> part.node().equals("s1"));
  }

  /** A node is lost and returns, another one is lost, and then any. The caches are healed after each loss. */
  @ParameterizedTest(name = "{0}, sets of {1}, {2} nodes with {3} ranks each, {4} spares")
  @CsvSource({"XOR,8,4,1,2", "XOR,2,4,2,2", "XOR,3,6,1,2", "PARTNER,8,6,1,1", "RS,8,6,1,2"})
  void whatIsCalledFullSurvivesTheLossOfAFailureGroup(String name, int size, int holders, int perNode, int spares) {
    scheme = Scheme.valueOf(name);
    setSize = size;
    List<String> all = Stream.concat(IntStream.range(0, holders).mapToObj(node -> "n" + node),
        IntStream.range(0, spares).mapToObj(spare -> "s" + spare)).toList();
    for (boolean inPairs : List.of(true, false)) {
      SortedMap<String, SortedMap<String, String>> power = new TreeMap<>();
      IntStream.range(0, all.size()).forEach(node -> power.put(
          all.get(node), new TreeMap<>(Map.of("POWER", "psu" + (inPairs ? node / 2 : node % (all.size() / 2))))));
      groups = new GroupDescriptors(power);
      whole(holders, perNode, spares);
      all.forEach(first -> {
        SortedMap<String, SortedMap<Integer, Held>> returned = copy(nodes);
        returned.remove(first);
        healIfPossible(returned);
        returned.put(first, nodes.get(first));
        all.forEach(second -> all.forEach(third -> {
          SortedMap<String, SortedMap<Integer, Held>> left = copy(returned);
          for (String lost : List.of(second, third)) {
            left.remove(lost);
            requireFullSurvivesAGroup(left);
            healIfPossible(left);
            requireFullSurvivesAGroup(left);
          }
        }));
      });
    }
  }

  private void healIfPossible(SortedMap<String, SortedMap<Integer, Held>> on) {
    try {
      new HealNeeds(caches(on), groups).degraded().forEach(_ -> heal(on, plan(on, Long.MAX_VALUE / 4)));
    } catch (ScrException e) {
      assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST);
    }
  }

  private void requireFullSurvivesAGroup(SortedMap<String, SortedMap<Integer, Held>> on) {
    if (grade(on) == Grade.FULL) {
      new HashSet<>(groups.nodes().values()).forEach(group -> {
        SortedMap<String, SortedMap<Integer, Held>> left = copy(on);
        left.keySet().removeIf(node -> groups.nodes().get(node).equals(group));
        assertThat(canBeHad(left)).as("%s without %s", on, group).isTrue();
      });
    }
  }

  @Test
  void noNodeTakesMoreThanLeavesRoomForItsNextCheckpoint() {
    scheme = Scheme.XOR;
    setSize = 4;
    whole(4, 1, 1);
    nodes.remove("n2");
    long part = RANK_BYTES * 2L;
    assertThat(plan(nodes, 2 * part).parts()).allMatch(made -> made.node().equals("s0"));
    assertThatThrownBy(() -> plan(nodes, 2 * part - 1)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NO_SPACE)).hasMessageContaining("room");
  }

  @Test
  void anotherHistoryOfItsIdIsNotInTheWayOfAnything() {
    scheme = Scheme.XOR;
    setSize = 4;
    whole(4, 1, 1);
    nodes.remove("n2");
    List<Inventory> caches = new ArrayList<>(caches(nodes));
    caches.removeIf(cache -> cache.node().equals("s0"));
    caches.add(RestorePlannerTest.inventory("s0", RestorePlannerTest.dataset(5, 77), Scheme.XOR,
        new Held(0, new RedundancySet(List.of(0, 1)), true, true)));
    Map<String, Long> room = new HashMap<>();
    caches.forEach(cache -> room.put(cache.node(), Long.MAX_VALUE / 4));
    HealPlan plan = HealPlanner.plan(dataset(List.of()), caches, new HealPlaces(groups, room));
    assertThat(plan.parts()).isNotEmpty().noneMatch(made -> made.node().equals("s0"));
    assertThat(plan.newSets()).isPresent();
  }
}
