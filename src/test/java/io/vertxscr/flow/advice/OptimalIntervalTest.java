package io.vertxscr.flow.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vertxscr.flow.advice.OptimalInterval.Failures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptimalIntervalTest {
  /** C = 300 s, M = 24 h: sqrt(2 * 300 * 86400) = 7200; C / 2M = 1/576, its root 1/24. */
  @Test
  void handComputedValues() {
    assertThat(OptimalInterval.young(300, 86_400)).isCloseTo(7200, within(1e-9));
    assertThat(OptimalInterval.daly(300, 86_400))
        .isCloseTo(7200 * (1 + 1.0 / 72 + 1.0 / 5184) - 300, within(1e-9))
        .isCloseTo(7001.3889, within(1e-4));
    assertThat(OptimalInterval.ofLevel(300, 1.0 / 86_400)).isCloseTo(7200, within(1e-9));
    assertThat(OptimalInterval.ofLevel(2, 1e-4)).isCloseTo(200, within(1e-9));
  }

  /** C = 2M is where the formula ends: sqrt(2 * 2M * M) (1 + 1/3 + 1/9) - 2M = 8/9 M just below. */
  @Test
  void aCheckpointThatTakesLongerThanTwoFailuresIsWrittenOncePerFailure() {
    assertThat(OptimalInterval.daly(200, 100)).isEqualTo(100);
    assertThat(OptimalInterval.daly(1000, 100)).isEqualTo(100);
    assertThat(OptimalInterval.daly(200 - 1e-9, 100)).isCloseTo(100 * 8.0 / 9, within(1e-6));
  }

  @ParameterizedTest
  @CsvSource({"1, 3600", "10, 3600", "60, 86400", "300, 86400", "600, 7200"})
  void noOtherIntervalCostsNoticeablyLess(double cost, double mtbf) {
    double best = OptimalInterval.loss(OptimalInterval.daly(cost, mtbf), cost, mtbf);
    for (double factor = 0.1; factor < 10; factor *= 1.1) {
      double other = OptimalInterval.loss(OptimalInterval.daly(cost, mtbf) * factor, cost, mtbf);
      assertThat(best).as("factor %s", factor).isLessThan(other * 1.01 + 1e-9);
    }
  }

  @Test
  void whatWasSeenWeighsMoreTheLongerItWasLookedAt() {
    assertThat(new Failures(0, 0, 86_400).mtbfSeconds()).isCloseTo(86_400, within(1e-6));
    assertThat(new Failures(3, 86_400, 86_400).mtbfSeconds()).isCloseTo(43_200, within(1e-6));
    assertThat(new Failures(999, 1000 * 3600 - 86_400, 86_400).mtbfSeconds()).isCloseTo(3600, within(1e-6));
  }
}
