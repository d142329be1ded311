package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.Optional;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Candidates of a restart, and sets that must not be mixed. {@link RestorePlannerExhaustiveTest} tries losses. */
class RestorePlannerTest {
  private static final RedundancySet PAIR = new RedundancySet(List.of(0, 1));
  private static final RankMap MAP = new RankMap(List.of("n0", "n1"));

  static DatasetDescriptor dataset(int id, long createdUs) {
    return dataset(id, createdUs, DatasetFlags.CHECKPOINT);
  }

  private static DatasetDescriptor dataset(int id, long createdUs, DatasetFlags flags) {
    return new DatasetDescriptor(id, "d" + id, flags, id, createdUs, new Job("u", "j", "1", "c"), Totals.NONE);
  }

  static RedundancyDescriptor redundancy(Scheme scheme) {
    return new RedundancyDescriptor(
        new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(scheme, 8), false), 1);
  }

  static Inventory inventory(String node, DatasetDescriptor dataset, Scheme scheme, Held... held) {
    return new Inventory(node, List.of(new Inventory.Dataset(
        dataset, new Origin("/p", 4), "/tmp", redundancy(scheme), FlushState.NOT_WANTED, List.of(held))));
  }

  private static Inventory.Dataset of(DatasetDescriptor dataset, String prefix, int ranks) {
    return new Inventory.Dataset(dataset, new Origin(prefix, ranks), "/tmp", redundancy(Scheme.XOR), FlushState.WANTED,
        List.of());
  }

  @Test
  void offersCheckpointsOfThisPrefixAndSizeNewestFirst() {
    DatasetDescriptor both = dataset(7, 70, DatasetFlags.CHECKPOINT_AND_OUTPUT);
    List<Inventory> inventories = List.of(
        new Inventory("a", List.of(of(dataset(2, 20), "/p", 4), of(dataset(9, 90), "/p", 8), of(both, "/p", 4))),
        new Inventory("b", List.of(of(dataset(2, 20), "/p", 4), of(dataset(10, 95), "/p/q", 4))),
        new Inventory("c", List.of(of(dataset(8, 80, DatasetFlags.OUTPUT), "/p", 4), of(dataset(3, 30), "/p", 4))),
        new Inventory("d", List.of()));
    assertThat(RestorePlanner.candidates(inventories, "/p", 4))
        .containsExactly(both, dataset(3, 30), dataset(2, 20));
    assertThat(RestorePlanner.candidates(inventories, "/p", 8)).containsExactly(dataset(9, 90));
    assertThat(RestorePlanner.candidates(inventories, "/p/q", 4)).containsExactly(dataset(10, 95));
    assertThat(RestorePlanner.candidates(inventories, "/q", 4)).isEmpty();
    assertThat(RestorePlanner.candidates(List.of(), "/p", 4)).isEmpty();
  }

  @Test
  void shardsAreForRunsOfAnySizeAndBelongToThatOfTheirOwn() {
    DatasetDescriptor shards = dataset(9, 90, DatasetFlags.SHARDS);
    List<Inventory> inventories = List.of(
        new Inventory("a", List.of(of(dataset(8, 80), "/p", 4), of(shards, "/p", 4))),
        new Inventory("b", List.of(of(dataset(10, 95), "/p", 2), of(dataset(11, 99, DatasetFlags.SHARDS), "/q", 4))));
    assertThat(RestorePlanner.candidates(inventories, "/p", 4)).containsExactly(shards, dataset(8, 80));
    assertThat(RestorePlanner.candidates(inventories, "/p", 2)).containsExactly(dataset(10, 95), shards);
    assertThat(RestorePlanner.candidates(inventories, "/p", 3)).containsExactly(shards);
    assertThat(RestorePlanner.ofSize(inventories, "/p", 3)).isEmpty();
    assertThat(RestorePlanner.ofSize(inventories, "/p", 4)).containsExactly(shards, dataset(8, 80));
    assertThat(RestorePlanner.ofOtherSize(inventories, "/p", 3)).as("bound to ranks")
        .map(Inventory.Dataset::descriptor).contains(dataset(10, 95));
    assertThat(RestorePlanner.ofOtherSize(inventories.subList(0, 1), "/p", 3))
        .map(Inventory.Dataset::descriptor).contains(dataset(8, 80));
  }

  @Test
  void aTornDatasetDoesNotHideAWholeOneOfTheSameIdFromAnEarlierHistory() {
    DatasetDescriptor whole = dataset(5, 100);
    DatasetDescriptor torn = dataset(5, 200);
    List<Inventory> inventories = List.of(
        inventory("n0", whole, Scheme.XOR, new Held(0, PAIR, true, true)),
        inventory("n1", whole, Scheme.XOR, new Held(1, PAIR, true, true)),
        inventory("n2", torn, Scheme.XOR, new Held(0, PAIR, true, false)));
    assertThat(RestorePlanner.candidates(inventories, "/p", 4)).containsExactly(torn, whole);
    assertThatThrownBy(() -> RestorePlanner.plan(torn, inventories, MAP)).isInstanceOf(ScrException.class);
    assertThat(RestorePlanner.plan(whole, inventories, MAP).protectedNow()).isTrue();
  }

  /** Rank 1 is gone with its node; of rank 0 the files, or the redundancy, could not be read. */
  @Test
  void whatCouldNotBeReadIsNotLostButWhereItMakesNoDifference() {
    Held files = new Held(0, PAIR, false, true, Optional.of("EIO"), Optional.empty());
    Held redundancy = new Held(0, PAIR, true, false, Optional.empty(), Optional.of("EIO"));
    Held noRedundancy = new Held(0, PAIR, false, false, Optional.of("EIO"), Optional.empty());
    assertThat(faultOf(files)).isEqualTo(Fault.IO);
    assertThat(faultOf(redundancy)).isEqualTo(Fault.IO);
    assertThat(faultOf(noRedundancy)).isEqualTo(Fault.TOO_MANY_LOST);
    List<Inventory> both = List.of(inventory("n0", dataset(5, 100), Scheme.XOR, files),
        inventory("n1", dataset(5, 100), Scheme.XOR, new Held(1, PAIR, true, true)));
    assertThat(RestorePlanner.plan(dataset(5, 100), both, MAP).perNode().get("n0")).singleElement()
        .returns(RestorePlan.Action.REBUILD, RestorePlan.RankPlan::action);
  }

  private static Fault faultOf(Held held) {
    List<Inventory> inventories = List.of(inventory("n0", dataset(5, 100), Scheme.XOR, held));
    return Fault.of(catchThrowable(() -> RestorePlanner.plan(dataset(5, 100), inventories, MAP)));
  }

  @ParameterizedTest
  @EnumSource(names = {"PARTNER", "XOR"})
  void datasetsOfOneIdAndTwoHistoriesNeverMix(Scheme scheme) {
    DatasetDescriptor mine = dataset(5, 100);
    DatasetDescriptor other = dataset(5, 101);
    // Rank 1 of mine is lost; the other history has its files, its redundancy, and those of the survivor.
    List<Inventory> inventories = List.of(
        inventory("n0", mine, scheme, new Held(0, PAIR, true, false)),
        inventory("n1", other, scheme, new Held(0, PAIR, true, true), new Held(1, PAIR, true, true)));
    assertThatThrownBy(() -> RestorePlanner.plan(mine, inventories, MAP))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST))
        .hasMessageContaining("the files of rank 1 are lost, and in the same " + scheme + " set [0, 1]");
    assertThat(inventories.get(0).datasets().getFirst().sameAs(inventories.get(1).datasets().getFirst())).isFalse();
  }

  @Test
  void aDatasetThatNobodyHoldsIsRefusedWithItsFirstRank() {
    assertThatThrownBy(() -> RestorePlanner.plan(dataset(5, 1), List.of(new Inventory("n0", List.of())), MAP))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TOO_MANY_LOST))
        .hasMessageContaining("dataset 5 \"d5\"").hasMessageContaining("rank 0").hasMessageContaining("no node knows");
  }

  @Test
  void whereSeveralNodesHaveARanksFilesItsOwnNodeIsTaken() {
    DatasetDescriptor dataset = dataset(5, 1);
    RedundancySet other = new RedundancySet(List.of(0, 2));
    List<Inventory> inventories = List.of(
        inventory("n1", dataset, Scheme.XOR, new Held(0, other, true, true), new Held(1, PAIR, true, true)),
        inventory("n0", dataset, Scheme.XOR, new Held(0, PAIR, true, true)));
    RestorePlan plan = RestorePlanner.plan(dataset, inventories, MAP);
    assertThat(plan.perNode().get("n0")).containsExactly(new RankPlan(0, Action.KEEP, "", PAIR, List.of()));
    assertThat(plan.protectedNow()).isTrue();
    assertThat(RestorePlanner.plan(dataset, inventories, new RankMap(List.of("n2", "n1"))).perNode().get("n2"))
        .containsExactly(new RankPlan(0, Action.MOVE, "n1", other, List.of()));
  }

  @Test
  void aSetOfOneProtectsOnlyARunOnOneNode() {
    DatasetDescriptor dataset = dataset(5, 1);
    Held first = new Held(0, new RedundancySet(List.of(0)), true, false);
    Held second = new Held(1, new RedundancySet(List.of(1)), true, false);
    assertThat(RestorePlanner.plan(dataset, List.of(inventory("n0", dataset, Scheme.XOR, first, second)),
        new RankMap(List.of("n0", "n0"))).protectedNow()).isTrue();
    assertThat(RestorePlanner.plan(dataset, List.of(inventory("n0", dataset, Scheme.XOR, first),
        inventory("n1", dataset, Scheme.XOR, second)), MAP).protectedNow()).isFalse();
    assertThatThrownBy(() -> RestorePlanner.plan(dataset, List.of(inventory("n0", dataset, Scheme.XOR, first,
        new Held(1, new RedundancySet(List.of(1)), false, false))), MAP)).hasMessageContaining("rank 1");
  }

  @Test
  void aSetWithTwoMembersOnOneNodeIsNotProtected() {
    DatasetDescriptor dataset = dataset(5, 1);
    RestorePlan plan = RestorePlanner.plan(dataset, List.of(inventory("n0", dataset, Scheme.XOR,
        new Held(0, PAIR, true, true), new Held(1, PAIR, true, true))), new RankMap(List.of("n0", "n0")));
    assertThat(plan.protectedNow()).isFalse();
  }

  @Test
  void aSetWithTwoMembersInOneFailureGroupIsNotProtected() {
    DatasetDescriptor dataset = dataset(5, 1);
    RestorePlan plan = RestorePlanner.plan(dataset, List.of(
        inventory("n0", dataset, Scheme.XOR, new Held(0, PAIR, true, true)),
        inventory("n1", dataset, Scheme.XOR, new Held(1, PAIR, true, true))), MAP);
    RestorePlan byPower = new RestorePlan(dataset, new RedundancyDescriptor(new CheckpointDescriptor(
        0, true, 1, "POWER", "/tmp", Redundancy.of(Scheme.XOR, 8), false), 1), plan.perNode(), plan.protectedNow());
    assertThat(byPower.isProtected(power("left", "left"))).isFalse();
    assertThat(byPower.isProtected(power("left", "right"))).isTrue();
    assertThat(byPower.isProtected(GroupDescriptors.BUILT_IN)).as("not known any more").isTrue();
    assertThat(plan.isProtected(power("left", "left"))).as("by nodes").isTrue();
  }

  private static GroupDescriptors power(String n0, String n1) {
    return new GroupDescriptors(new TreeMap<>(Map.of(
        "n0", new TreeMap<>(Map.of("POWER", n0)), "n1", new TreeMap<>(Map.of("POWER", n1)))));
  }
}
