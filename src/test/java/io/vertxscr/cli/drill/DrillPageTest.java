package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.JsonPage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: the result fits a terminal of 24 lines, and has the fields of docs/json.md. */
class DrillPageTest {
  private static List<String> lines(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    return DrillPage.lines(outcome, bounds);
  }

  @Test
  void aGoodDrill() {
    assertThat(lines(DrillOutcomes.good(), DrillOutcomes.NONE)).containsExactly(
        "drill      4 nodes, 4 ranks with 1.0 kB each, XOR, seed 4711",
        "loss       node2 with all that was stored there and rank 1, at step 13; came back empty",
        "",
        "since the loss                seconds",
        "loss detected                    0.50",
        "all ranks have ended             1.00",
        "all nodes are together again     1.50",
        "ranks started again              2.00",
        "init answered: rebuilt           2.50",
        "every byte verified              3.00",
        "first step again                 3.50  RTO",
        "next checkpoint protected        4.00",
        "",
        "work lost  3 steps, 0.35 s (RPO): the checkpoint of step 10 was restored",
        "passed     8 of 8 checks, 4.1 kB verified");
  }

  @Test
  void brokenBoundsAreSaid() {
    assertThat(lines(DrillOutcomes.good(), DrillOutcomes.within(1, 0.1))).endsWith(
        "FAILED     rto: 3.50 s to the first step again, more than 1 s",
        "FAILED     rpo: 0.35 s of work lost, more than 0.1 s",
        "failed     6 of 8 checks, 4.1 kB verified");
  }

  @Test
  void aDrillThatNeverBeganSaysWhy() {
    assertThat(lines(DrillOutcomes.neverBegun(), DrillOutcomes.NONE)).containsExactly(
        "drill      4 nodes, 4 ranks with 1.0 kB each, XOR, seed 4711",
        "loss       none: the drill failed before it",
        "FAILED     checkpoint: node node3: its daemon has ended with exit code 1",
        "failed     0 of 8 checks");
  }

  @ParameterizedTest
  @EnumSource(Milestone.class)
  void itFitsATerminal(Milestone last) {
    DrillOutcome outcome = DrillOutcomes.upTo(last, Optional.empty(), Optional.of("a reason"));
    assertThat(lines(outcome, DrillOutcomes.within(0, 0))).hasSizeLessThan(24).allMatch(line -> line.length() <= 100);
  }

  /** As a script reads it. */
  private static Map<String, Object> read(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    return new JsonObject(DrillPage.json(outcome, bounds).encode()).getMap();
  }

  @Test
  void theFieldsAreThoseOfThePage() throws IOException {
    JsonPage page = new JsonPage("scr drill");
    Set<String> found = new TreeSet<>(page.check(read(DrillOutcomes.good(), DrillOutcomes.within(9, 9))));
    found.addAll(page.check(read(DrillOutcomes.upTo(Milestone.RESTORED, Optional.of("a difference"),
        Optional.of("a reason")), DrillOutcomes.NONE)));
    found.addAll(page.check(read(DrillOutcomes.withSpare(), DrillOutcomes.NONE)));
    found.addAll(page.check(read(DrillOutcomes.hidden(Milestone.RETURNED, Optional.empty()), DrillOutcomes.NONE)));
    found.addAll(page.check(read(DrillOutcomes.hung(Milestone.ANSWERED, Optional.empty()), DrillOutcomes.NONE)));
    page.check(read(DrillOutcomes.neverBegun(), DrillOutcomes.NONE));
    assertThat(found).isEqualTo(page.all());
  }

  @Test
  void theNumbersAreThoseOfTheText() {
    JsonObject json = DrillPage.json(DrillOutcomes.good(), DrillOutcomes.NONE);
    assertThat(json.getInteger("version")).isEqualTo(1);
    assertThat(json.getBoolean("passed")).isTrue();
    assertThat(json.getDouble("rtoSeconds")).isEqualTo(3.5);
    assertThat(json.getJsonObject("seconds").getDouble("detected")).isEqualTo(0.5);
    assertThat(json.getInteger("rpoSteps")).isEqualTo(3);
    assertThat(DrillPage.json(DrillOutcomes.good(), DrillOutcomes.within(1, 1)).getBoolean("passed")).isFalse();
  }
}
