package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.restart.DatasetStanding.Grade;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: nobody is told that a dataset survives a loss which it does not survive, or the reverse. Method: random caches,
 * each node taken away in earnest and all ranks planned again.
 */
class DatasetStandingTest {
  private static final DatasetDescriptor DATASET = RestorePlannerTest.dataset(5, 1);
  private static final int RANKS = 8;

  /** Two ranks on each of four nodes; sets of the first and of the second ranks. */
  private static List<Inventory> whole(Scheme scheme, Random random, int losses) {
    List<Held> parts = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      List<Integer> members = rank % 2 == 0 ? List.of(0, 2, 4, 6) : List.of(1, 3, 5, 7);
      parts.add(new Held(rank, scheme == Scheme.SINGLE ? new RedundancySet(List.of(rank)) : new RedundancySet(members),
          true, scheme != Scheme.SINGLE));
    }
    for (int loss = 0; loss < losses; loss++) {
      int rank = random.nextInt(RANKS);
      Held held = parts.get(rank);
      parts.set(rank, random.nextBoolean() ? new Held(rank, held.set(), false, held.redundancy())
          : new Held(rank, held.set(), held.files(), false));
    }
    List<Inventory> nodes = new ArrayList<>();
    for (int node = 0; node < RANKS / 2; node++) {
      nodes.add(RestorePlannerTest.inventory(
          "n" + node, DATASET, scheme, parts.get(2 * node), parts.get(2 * node + 1)));
    }
    return nodes;
  }

  private static boolean canBeHad(List<Inventory> nodes) {
    return RestorePlanner.prospects(DATASET, nodes, new RankMap(Collections.nCopies(RANKS, "elsewhere"))).values()
        .stream().allMatch(prospect -> prospect.plan().isPresent());
  }

  private static DatasetStanding standing(List<Inventory> nodes) {
    return RestorePlanner.standing(DATASET, nodes, RANKS, GroupDescriptors.BUILT_IN);
  }

  @ParameterizedTest
  @EnumSource(names = {"SINGLE", "PARTNER", "XOR"})
  void theNodesThatItCannotDoWithoutAreThoseWithoutWhichItCannotBePlanned(Scheme scheme) {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("DatasetStandingTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      List<Inventory> nodes = whole(scheme, random, random.nextInt(4));
      if (random.nextInt(3) == 0) {
        nodes.remove(random.nextInt(nodes.size()));
      }
      DatasetStanding standing = standing(nodes);
      boolean there = canBeHad(nodes);
      List<String> fatal = nodes.stream().map(Inventory::node).filter(node -> there
          && !canBeHad(nodes.stream().filter(other -> !other.node().equals(node)).toList())).toList();
      assertThat(standing.fatal()).as("%s %s", nodes, seed).isEqualTo(fatal);
      assertThat(standing.state() == Grade.LOST).isEqualTo(!there);
      assertThat(standing.lost().isEmpty()).isEqualTo(there);
    }
  }

  @Test
  void whatIsAllThereIsFullAndWhatLacksARedundancyFileIsNot() {
    assertThat(standing(whole(Scheme.XOR, new Random(1), 0)))
        .isEqualTo(new DatasetStanding(Grade.FULL, List.of(), "", List.of("n0", "n1", "n2", "n3"), List.of()));
    for (int seed = 0; seed < 20; seed++) {
      assertThat(standing(whole(Scheme.XOR, new Random(seed), 1)).state())
          .isEqualTo(Grade.DEGRADED);
    }
    assertThat(standing(whole(Scheme.SINGLE, new Random(1), 0)).state())
        .isEqualTo(Grade.SINGLE);
  }

  @Test
  void ofALostNodeTheRanksAreNamed() {
    List<Inventory> three = whole(Scheme.XOR, new Random(1), 0).subList(1, 4);
    assertThat(standing(three)).isEqualTo(
        new DatasetStanding(Grade.DEGRADED, List.of(0, 1), "", List.of("n1", "n2", "n3"), List.of("n1", "n2", "n3")));
    assertThat(standing(three.subList(1, 3))).satisfies(lost -> {
      assertThat(lost.missing()).containsExactly(0, 1, 2, 3);
      assertThat(lost.lost()).contains("rank 0");
      assertThat(lost.underWay().state()).isEqualTo(Grade.OPEN);
    });
  }
}
