package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a daemon remembers no more after many runs than after some, also where nodes die. Method: the same scenarios
 * with more runs; sizes of all collections of all its objects, when it is at rest.
 */
class LongLifeTest {
  private static final int SEEDS = 2;
  private static final int STEPS = 2;
  private static final int RUNS = 5;
  private static final int MORE_RUNS = 10;
  /** Have an end of their own, or as many entries as the prefix directory has datasets. */
  private static final Set<String> BOUNDED = Set.of("EventHistory.kept", "Recent.entries", "PublishedScrub.looks");

  private static Map<String, Integer> residue(Profile profile, int runs) {
    Map<String, Integer> largest = new HashMap<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      Scenario scenario = Scenario.of(seed, profile);
      Simulation.residue(scenario.with(scenario.nodes(), scenario.spares(), scenario.ranksPerNode(), scenario.files(),
          Collections.nCopies(runs, STEPS))).forEach((field, size) -> largest.merge(field, size, Math::max));
    }
    return largest;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.INCLUDE, names = {"NONE", "DEATHS"})
  void nothingGrowsWithTheNumberOfRuns(Profile profile) {
    Map<String, Integer> some = residue(profile, RUNS);
    Map<String, Integer> more = residue(profile, RUNS + MORE_RUNS);
    assertThat(some).containsKeys("EventHistory.kept", "DatasetStore.stores", "NodeVerticle.consumers");
    more.keySet().removeAll(BOUNDED);
    assertThat(more).allSatisfy((field, size) ->
        assertThat(size - some.getOrDefault(field, 0)).as("%s", field).isLessThan(MORE_RUNS));
  }
}
