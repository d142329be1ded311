package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: the promises of {@link RedundancySets}. Method: all small maps, then random large ones. Replay with -Dseed=N.
 */
class RedundancySetsTest {
  private static final long SEED = Long.getLong("seed", System.nanoTime());

  @Test
  void keepsItsPromisesOnEveryMapOfUpToSixRanksOnUpToThreeNodes() {
    for (int ranks = 1; ranks <= 6; ranks++) {
      for (int code = 0; code < Math.powExact(3, ranks); code++) {
        int digits = code;
        List<String> nodes = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++, digits /= 3) {
          nodes.add("n" + digits % 3);
        }
        for (int minSetSize = 1; minSetSize <= 7; minSetSize++) {
          check(nodes, minSetSize);
        }
      }
    }
  }

  @Test
  void keepsItsPromisesOnRandomMaps() {
    System.out.println("RedundancySetsTest seed " + SEED);
    var random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      int nodeCount = 1 + random.nextInt(40);
      int ranks = 1 + random.nextInt(400);
      check(IntStream.range(0, ranks).mapToObj(_ -> "n" + random.nextInt(nodeCount)).toList(),
          1 + random.nextInt(20));
    }
  }

  @Test
  void givesSetsOfTheSizeAskedForWhereNodesAreEven() {
    var map = IntStream.range(0, 64).mapToObj(rank -> "n" + rank / 2).toList();
    assertThat(RedundancySets.of(map, 8)).hasSize(8).allMatch(set -> set.size() == 8);
    assertThat(RedundancySets.of(map, 100)).hasSize(2).allMatch(set -> set.size() == 32);
  }

  @Test
  void leavesRanksOfASingleNodeAlone() {
    assertThat(RedundancySets.of(List.of("a", "a", "a"), 8))
        .extracting(RedundancySet::ranks).containsExactly(List.of(0), List.of(1), List.of(2));
  }

  @Test
  void refusesASizeOfNothing() {
    assertThatThrownBy(() -> RedundancySets.of(List.of("a"), 0))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION));
  }

  private static void check(List<String> groupOfRank, int minSetSize) {
    List<RedundancySet> sets = RedundancySets.of(groupOfRank, minSetSize);
    String what = "seed " + SEED + ", " + groupOfRank + " in sets of " + minSetSize + ": " + sets;
    assertThat(sets.stream().flatMap(set -> set.ranks().stream()).sorted().toList())
        .as(what).isEqualTo(IntStream.range(0, groupOfRank.size()).boxed().toList());
    for (RedundancySet set : sets) {
      assertThat(set.ranks().stream().map(groupOfRank::get).toList()).as(what).doesNotHaveDuplicates();
    }
    int smallest = sets.stream().mapToInt(RedundancySet::size).min().orElseThrow();
    int largest = sets.stream().mapToInt(RedundancySet::size).max().orElseThrow();
    assertThat(largest - smallest).as(what).isLessThanOrEqualTo(1);
    int fullest = groupOfRank.stream().collect(Collectors.groupingBy(group -> group)).values().stream()
        .mapToInt(List::size).max().orElseThrow();
    assertThat(sets).as(what).hasSize(Math.max(fullest, Math.max(1, groupOfRank.size() / minSetSize)))
        .isEqualTo(RedundancySets.of(new ArrayList<>(groupOfRank), minSetSize));
  }
}
