package io.vertxscr.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.vertxscr.explain.SurvivalOdds.NodeTimes;
import io.vertxscr.explain.SurvivalOdds.SchemeOdds;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.LossOdds.SetsOfNodes;
import io.vertxscr.placement.LossOdds;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: the table has the scheme in use, the others beside it, and the figures of docs/odds.md. */
class SurvivalOddsTest {
  private static final NodeTimes TIMES = new NodeTimes(5 * 8760, 1);

  private static List<SchemeOdds> rows(Map<Integer, Long> sets, Redundancy used) {
    return SurvivalOdds.of(sets, used, TIMES).rows();
  }

  private static SchemeOdds find(List<SchemeOdds> rows, Scheme scheme, int failures) {
    return rows.stream().filter(row -> row.scheme() == scheme && row.failures() == failures).findFirst().orElseThrow();
  }

  @Test
  void everySchemeStandsBesideTheOneInUse() {
    List<SchemeOdds> rows = rows(Map.of(8, 128L), Redundancy.of(Scheme.XOR, 8));
    assertThat(rows.stream().map(row -> row.scheme() + " " + row.failures() + (row.inUse() ? " in use" : "")))
        .containsExactly("SINGLE 0", "PARTNER 1", "PARTNER 2", "XOR 1 in use", "RS 2", "RS 3");
    assertThat(find(rows, Scheme.XOR, 1).perDay()).isCloseTo(
        LossOdds.lossBeforeFlush(new SetsOfNodes(128, 8, 1), 5 * 8760, 1, 24), withinPercentage(1e-9));
    assertThat(find(rows, Scheme.RS, 2).perDay()).isCloseTo(
        LossOdds.lossBeforeFlush(new SetsOfNodes(128, 8, 2), 5 * 8760, 1, 24), withinPercentage(1e-6));
    assertThat(find(rows, Scheme.SINGLE, 0).perDay()).isCloseTo(
        LossOdds.lossBeforeFlush(new SetsOfNodes(1024, 1, 0), 5 * 8760, 1, 24), withinPercentage(1e-9));
    assertThat(rows.stream().map(SchemeOdds::extra)).containsExactly(0.0, 1.0, 2.0, 1 / 7.0, 2 / 6.0, 3 / 5.0);
  }

  @Test
  void whatIsInUseIsThereWhateverItsNumbers() {
    for (Redundancy used : List.of(new Redundancy(Scheme.RS, 8, 5), new Redundancy(Scheme.RS, 8, 1),
        new Redundancy(Scheme.PARTNER, 8, 3), Redundancy.of(Scheme.SINGLE, 8))) {
      assertThat(rows(Map.of(8, 2L), used).stream().filter(SchemeOdds::inUse)).singleElement()
          .returns(used.scheme(), SchemeOdds::scheme).returns(used.failures(), SchemeOdds::failures);
    }
    assertThat(rows(Map.of(1, 4L), Redundancy.of(Scheme.XOR, 8))).extracting(SchemeOdds::scheme)
        .containsExactly(Scheme.SINGLE, Scheme.XOR);
  }

  /** A set of one has no redundancy, whatever is configured. */
  @Test
  void setsOfSeveralSizesAreSummedUp() {
    List<SchemeOdds> rows = rows(Map.of(4, 3L, 1, 1L), Redundancy.of(Scheme.XOR, 4));
    double alone = LossOdds.lossesPerHour(1, 0, 5 * 8760, 1);
    double sets = 3 * LossOdds.lossesPerHour(4, 1, 5 * 8760, 1);
    assertThat(find(rows, Scheme.XOR, 1).perDay()).isCloseTo(LossOdds.within(24, alone + sets), withinPercentage(1e-9));
    assertThat(find(rows, Scheme.XOR, 1).extra()).isCloseTo(3 * 4 / 3.0 / 13, withinPercentage(1e-9));
  }

  @Test
  void timesOfNothingAreRefused() {
    assertThatThrownBy(() -> new NodeTimes(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new NodeTimes(1, Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }
}
