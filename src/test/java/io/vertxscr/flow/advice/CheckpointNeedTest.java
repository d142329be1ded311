package io.vertxscr.flow.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.advice.CheckpointNeed.Conditions;
import io.vertxscr.flow.advice.CheckpointNeed.Known;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Goal: each condition has its effect at its border, and any one is enough. Method: all subsets at all borders. */
class CheckpointNeedTest {
  private static final OptionalDouble NONE = OptionalDouble.empty();

  private static Advice wanted(Conditions conditions, double since, OptionalDouble cost, OptionalDouble optimal) {
    return CheckpointNeed.wanted(conditions, new Known(since, cost, optimal));
  }

  @Test
  void withoutAnyConditionTheAnswerIsAlwaysYes() {
    Advice wanted = wanted(new Conditions(0, 0, 0, false), 0, NONE, NONE);
    assertThat(wanted.once()).isFalse();
    assertThat(wanted.rule().yesTo(1) && wanted.rule().yesTo(7)).isTrue();
  }

  @Test
  void everyNthCallIsARuleThatNeedsNoFurtherQuestion() {
    Advice wanted = wanted(new Conditions(3, 0, 0, false), 1000, NONE, NONE);
    assertThat(wanted.once()).isFalse();
    for (long call = 1; call < 20; call++) {
      assertThat(wanted.rule().yesTo(call)).isEqualTo(call % 3 == 0);
    }
  }

  @Test
  void theFirstCheckpointIsWrittenAtOnceWhereItsCostMustBeKnown() {
    assertThat(wanted(new Conditions(0, 0, 10, false), 0, NONE, NONE).once()).isTrue();
    assertThat(wanted(new Conditions(0, 0, 0, true), 0, NONE, NONE).once()).isTrue();
    assertThat(wanted(new Conditions(0, 60, 0, false), 0, NONE, NONE).once()).isFalse();
  }

  /** Cost 10 s: 10 % overhead is reached after 90 s. */
  @Test
  void allSubsetsOfTheConditionsAroundTheirBorders() {
    for (int which = 1; which < 16; which++) {
      boolean calls = (which & 1) != 0;
      boolean seconds = (which & 2) != 0;
      boolean overhead = (which & 4) != 0;
      boolean optimal = (which & 8) != 0;
      for (double since : new double[] {0, 69.9, 70, 79.9, 80, 89.9, 90, 500}) {
        Advice wanted = wanted(new Conditions(calls ? 5 : 0, seconds ? 70 : 0, overhead ? 10 : 0, optimal), since,
            OptionalDouble.of(10), OptionalDouble.of(80));
        boolean due = (seconds && since >= 70) || (optimal && since >= 80) || (overhead && since >= 90);
        assertThat(wanted.once()).as("subset %d after %s s", which, since).isEqualTo(due);
        assertThat(wanted.rule().yesTo(5)).isEqualTo(due || calls);
        assertThat(wanted.rule().yesTo(6)).isEqualTo(due);
      }
    }
  }
}
