package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.cli.drill.DrillPlan.DrillWork;
import io.vertxscr.cli.drill.DrillPlan.Strike;
import io.vertxscr.model.Scheme;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a seed makes the same drill again; what makes no drill is refused before anything is started. */
class DrillPlanTest {
  private static final List<String> NODES = DrillPlan.names(1, 4);
  private static final DrillWork WORK = new DrillWork(8, 100, 5, 10, 2);

  private static DrillPlan plan(Strike strike) {
    return new DrillPlan(NODES, WORK, Scheme.XOR, 0, strike, 1);
  }

  @Test
  void theSameSeedChoosesTheSameAndOthersChooseEveryNodeAndEveryStep() {
    Set<List<String>> victims = new HashSet<>();
    Set<Integer> steps = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      Strike strike = DrillPlan.choose(seed, NODES, WORK, List.of(), false, false);
      assertThat(DrillPlan.choose(seed, NODES, WORK, List.of(), false, false)).isEqualTo(strike);
      assertThat(DrillPlan.choose(seed, NODES, WORK, List.of("node3"), false, false).afterStep())
          .as("step of seed %d, whoever is named", seed).isEqualTo(strike.afterStep());
      victims.add(strike.victims());
      steps.add(strike.afterStep());
    }
    assertThat(victims).containsExactlyInAnyOrder(
        List.of("node1"), List.of("node2"), List.of("node3"), List.of("node4"));
    assertThat(steps).as("after the checkpoint of step 10, before that of step 15")
        .containsExactlyInAnyOrder(11, 12, 13, 14);
  }

  @Test
  void sparesTakeThePlacesOfTheLost() {
    DrillPlan plan = plan(new Strike(List.of("node2", "node4"), true, true, 11));
    assertThat(plan.places()).containsExactly(
        "node1", "node1", "node2", "node2", "node3", "node3", "node4", "node4");
    assertThat(plan.victimRanks()).containsExactly(2, 3, 6, 7);
    assertThat(plan.spares()).containsExactly("node5", "node6");
    assertThat(plan.placesAfter()).containsExactly(
        "node1", "node1", "node5", "node5", "node3", "node3", "node6", "node6");
    DrillPlan back = plan(new Strike(List.of("node2"), true, false, 11));
    assertThat(back.spares()).isEmpty();
    assertThat(back.placesAfter()).isEqualTo(back.places());
  }

  @Test
  void theSecondRunGoesOnBeyondAnotherCheckpoint() {
    DrillPlan plan = plan(new Strike(List.of("node2"), true, false, 14));
    assertThat(plan.lastStep()).isGreaterThan(plan.work().lastCheckpoint() + plan.work().every())
        .isGreaterThan(plan.strike().afterStep());
  }

  @ParameterizedTest
  @CsvSource({"node5", "node1 node2 node3 node4"})
  void nodesThatAreNotThereAndAllNodesAreRefused(String victims) {
    assertThatThrownBy(() -> plan(new Strike(List.of(victims.split(" ")), false, false, 11)))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("but not all");
  }

  @ParameterizedTest
  @CsvSource({"0,1,5,10,2", "4,-1,5,10,2", "4,1,1,10,2", "4,1,5,0,2", "4,1,5,10,0", "4,1,5,10,1001"})
  void workThatIsNoneIsRefused(int ranks, long bytes, int every, int stepMs, int checkpoints) {
    assertThatThrownBy(() -> new DrillWork(ranks, bytes, every, stepMs, checkpoints))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("expected");
  }

  @Test
  void everyNodeNeedsARank() {
    assertThatThrownBy(() -> new DrillPlan(NODES, new DrillWork(3, 1, 5, 10, 2), Scheme.XOR, 0,
        new Strike(List.of("node1"), false, false, 11), 1))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3 ranks on 4 nodes");
  }
}
