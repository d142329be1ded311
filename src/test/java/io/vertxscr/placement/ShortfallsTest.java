package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.Shortfalls.Shortfall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: nobody is left without protection, or with less than asked for, without a word. Method: all small maps. */
class ShortfallsTest {
  @Test
  void aSentenceIsThereExactlyWhereSomeSetIsSmallerThanAskedFor() {
    for (int ranks = 1; ranks <= 6; ranks++) {
      for (int code = 0; code < Math.powExact(3, ranks); code++) {
        List<String> groups = new ArrayList<>();
        for (int rank = 0, digits = code; rank < ranks; rank++, digits /= 3) {
          groups.add("g" + digits % 3);
        }
        for (int setSize = 2; setSize <= 7; setSize++) {
          int asked = Math.min(setSize, ranks);
          boolean small = RedundancySets.of(groups, setSize).stream().mapToInt(RedundancySet::size)
              .anyMatch(size -> size == 1 || size < asked);
          assertThat(of(Scheme.XOR, groups, setSize).isPresent()).as(groups + " in " + setSize).isEqualTo(small);
          assertThat(of(Scheme.SINGLE, groups, setSize)).isEmpty();
          for (int failures = 1; failures < setSize; failures++) {
            int most = failures;
            boolean weak = small || RedundancySets.of(groups, setSize).stream().anyMatch(set -> set.size() <= most);
            assertThat(of(new Redundancy(Scheme.RS, setSize, failures), groups).isPresent())
                .as(groups + " in " + setSize + " for " + failures).isEqualTo(weak);
          }
        }
      }
    }
  }

  @Test
  void allRanksOfOneGroupAreToldThatTheSchemeIsSingle() {
    assertThat(of(Scheme.PARTNER, List.of("n1", "n1", "n1"), 2)).contains(
        "CKPT=0: PARTNER protects nothing, as SINGLE would: all ranks are in one group NODE, n1");
  }

  @Test
  void ranksWithoutAPartnerAreCounted() {
    assertThat(of(Scheme.XOR, List.of("n1", "n1", "n1", "n2"), 2).orElseThrow())
        .startsWith("CKPT=0: XOR does not protect 2 of 4 ranks");
  }

  @Test
  void smallerSetsAreTold() {
    assertThat(shortfall("NODE", Redundancy.of(Scheme.XOR, 4), List.of("n1", "n1", "n2", "n2"))).contains(
        new Shortfall("CKPT=0: XOR has sets of 2 ranks instead of 4: the ranks are on 2 nodes, and no two of a set may"
            + " be in the same one; the loss of 1 is survived anyway", false));
    assertThat(shortfall("POWER", Redundancy.of(Scheme.XOR, 4), List.of("p", "p", "q", "q")).orElseThrow().sentence())
        .contains("the ranks are in 2 groups POWER");
  }

  @Test
  void fewerLossesThanAskedForAreTold() {
    assertThat(of(new Redundancy(Scheme.RS, 8, 3), List.of("n1", "n2", "n3"))).contains("CKPT=0: RS has sets of 3"
        + " ranks: there are not more; such a set survives the loss of 2 instead of 3");
    assertThat(shortfall("NODE", new Redundancy(Scheme.RS, 8, 3), List.of("n1", "n2", "n3")))
        .get().returns(true, Shortfall::weaker);
    assertThat(of(new Redundancy(Scheme.RS, 4, 2), List.of("n1", "n1", "n2", "n2")).orElseThrow())
        .startsWith("CKPT=0: RS has sets of 2 ranks instead of 4")
        .endsWith("such a set survives the loss of 1 instead of 2");
  }

  private static Optional<String> of(Scheme scheme, List<String> groups, int setSize) {
    return of(Redundancy.of(scheme, setSize), groups);
  }

  private static Optional<String> of(Redundancy redundancy, List<String> groups) {
    return shortfall("NODE", redundancy, groups).map(Shortfall::sentence);
  }

  private static Optional<Shortfall> shortfall(String group, Redundancy redundancy, List<String> groups) {
    return Shortfalls.of(new CheckpointDescriptor(0, true, 1, group, "/tmp", redundancy, false), groups);
  }
}
