package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: no tolerated loss is refused, and none is accepted that leaves a member without a source. */
class ProtectionTest {
  @Test
  void replacesEveryLossWithinTheTolerance() {
    for (int size = 2; size <= 6; size++) {
      RedundancySet set = set(size);
      for (Set<Integer> lost : subsets(set)) {
        for (Scheme scheme : List.of(Scheme.SINGLE, Scheme.PARTNER, Scheme.XOR)) {
          if (lost.size() <= scheme.tolerance()) {
            assertThat(Protection.replaces(scheme, set, lost)).as("%s %s of %s", scheme, lost, set).isTrue();
          }
        }
      }
    }
  }

  @Test
  void refusesWhatNobodyCanReplace() {
    for (int size = 1; size <= 6; size++) {
      RedundancySet set = set(size);
      for (Set<Integer> lost : subsets(set)) {
        assertThat(Protection.replaces(Scheme.SINGLE, set, lost)).isEqualTo(lost.isEmpty());
        assertThat(Protection.replaces(Scheme.XOR, set, lost))
            .as("%s of %s", lost, set).isEqualTo(lost.isEmpty() || (size > 1 && lost.size() == 1));
        boolean copiesLeft = lost.stream().allMatch(rank -> {
          List<Integer> ranks = set.ranks();
          return !lost.contains(ranks.get((ranks.indexOf(rank) + 1) % set.size()));
        });
        assertThat(Protection.replaces(Scheme.PARTNER, set, lost)).as("%s of %s", lost, set).isEqualTo(copiesLeft);
      }
    }
  }

  @Test
  void lossesOfOtherSetsDoNotMatter() {
    assertThat(Protection.replaces(Scheme.XOR, set(3), List.of(0, 1, 2, 7))).isTrue();
  }

  @Test
  void namesReadersAndWhatTheyRead() {
    RedundancySet set = set(3);
    assertThat(Protection.readersOf(Scheme.XOR, set, 14)).containsExactlyInAnyOrder(11, 17);
    assertThat(Protection.readersOf(Scheme.PARTNER, set, 17)).containsExactly(11);
    assertThat(Protection.readersOf(Scheme.SINGLE, set, 14)).containsExactly(14);
    assertThat(Protection.readersOf(Scheme.XOR, set(1), 11)).containsExactly(11);
    assertThat(Protection.readBy(Scheme.XOR, set, 14)).containsExactly(11, 17);
    assertThat(Protection.readBy(Scheme.PARTNER, set, 11)).containsExactly(17);
    assertThat(Protection.readBy(Scheme.PARTNER, set(1), 11)).containsExactly(11);
  }

  private static RedundancySet set(int size) {
    return new RedundancySet(IntStream.range(0, size).mapToObj(i -> 11 + 3 * i).toList());
  }

  private static List<Set<Integer>> subsets(RedundancySet set) {
    return IntStream.range(0, 1 << set.size()).mapToObj(bits -> {
      Set<Integer> chosen = new TreeSet<>();
      for (int i = 0; i < set.size(); i++) {
        if ((bits >> i & 1) != 0) {
          chosen.add(set.ranks().get(i));
        }
      }
      return chosen;
    }).toList();
  }

  @Test
  void withMoreFailuresAnySoManyAreReplacedAndOfParityNoMore() {
    for (int size = 2; size <= 6; size++) {
      for (int failures = 1; failures < size; failures++) {
        RedundancySet set = set(size).tolerating(failures);
        for (Set<Integer> lost : subsets(set)) {
          String what = lost + " of " + set;
          assertThat(Protection.replaces(Scheme.RS, set, lost)).as(what).isEqualTo(lost.size() <= failures);
          boolean copyLeft = lost.stream().allMatch(rank -> !lost.containsAll(Protection.describers(set, rank)));
          assertThat(Protection.replaces(Scheme.PARTNER, set, lost)).as(what).isEqualTo(copyLeft);
          assertThat(lost.size() > failures || copyLeft).as(what).isTrue();
        }
      }
    }
  }

  @Test
  void everyByteHasOneReaderWhateverTheScheme() {
    for (int failures = 1; failures < 5; failures++) {
      RedundancySet set = set(5).tolerating(failures);
      for (int rank : set.ranks()) {
        assertThat(Protection.readersOf(Scheme.RS, set, rank)).hasSize(5 - failures).doesNotContain(rank);
        assertThat(Protection.readBy(Scheme.RS, set, rank)).hasSize(5 - failures);
        assertThat(Protection.parityFrom(Scheme.RS, set, rank)).hasSize(failures - 1).doesNotContain(rank);
      }
    }
    assertThat(Protection.readersOf(Scheme.RS, set(5).tolerating(2), 17)).containsExactlyInAnyOrder(11, 20, 23);
    assertThat(Protection.parityFrom(Scheme.RS, set(5).tolerating(3), 11)).containsExactly(23, 20);
  }

  @Test
  void setsOfReedSolomonNeverBecomeTooLargeForTheField() {
    for (int failures = 1; failures < 255; failures++) {
      int least = Protection.minSetSize(Scheme.RS, 1024, failures);
      assertThat(least).isPositive();
      assertThat(2 * least - 1 + failures).as("%d failures", failures).isLessThanOrEqualTo(256);
    }
    assertThat(Protection.minSetSize(Scheme.RS, 8, 2)).isEqualTo(8);
    assertThat(Protection.minSetSize(Scheme.XOR, 1024, 1)).isEqualTo(1024);
  }
}
