package io.vertxscr.flow.gather;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.gather.GatherBook.Arrival;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers of the leader's book, case by case; {@link GatherWalkTest} tries the orders of events. */
class GatherBookTest {
  private final GatherBook<String, String> book = new GatherBook<>(List.of("b", "a", "c"), 4, "four");

  @Test
  void theLastPartBringsAllOfThemByNode() {
    assertThat(book.missing()).isEmpty();
    assertThat(book.waitingIn()).isEmpty();
    assertThat(book.arrive("c", 5, Step.PROTECTED, "C")).isInstanceOf(Arrival.Wait.class);
    assertThat(book.missing()).containsExactly("a", "b");
    assertThat(book.waitingIn()).contains(Step.PROTECTED);
    assertThat(book.arrive("c", 5, Step.PROTECTED, "C again")).isInstanceOf(Arrival.Wait.class);
    assertThat(book.arrive("a", 5, Step.PROTECTED, "A")).isInstanceOf(Arrival.Wait.class);
    assertThat(book.arrive("b", 5, Step.PROTECTED, "B")).isEqualTo(new Arrival.All<>(
        Step.PROTECTED, List.of(new NodeContribution<>("a", "A"), new NodeContribution<>("b", "B"),
            new NodeContribution<>("c", "C again"))));
    assertThat(book.doneNumber()).isEqualTo(4);
  }

  @Test
  void whileTheDecisionIsDueWhoAsksAgainWaitsAndStartsNoSecondOne() {
    gatherAll(5);
    for (String node : List.of("a", "b", "c")) {
      assertThat(book.arrive(node, 5, Step.FINALIZE, "again")).isInstanceOf(Arrival.Wait.class);
    }
    book.done("five");
    assertThat(book.doneNumber()).isEqualTo(5);
    for (String node : List.of("a", "b", "c")) {
      assertThat(book.arrive(node, 5, Step.FINALIZE, "again")).isEqualTo(new Arrival.Known<>("five"));
    }
    assertThat(book.missing()).isEmpty();
  }

  @Test
  void nodesInDifferentCallsAreToldHowTheyDiffer() {
    book.arrive("a", 5, Step.START_OUTPUT, "");
    book.arrive("b", 5, Step.FINALIZE, "");
    assertThat(book.arrive("c", 5, Step.HAVE_RESTART, "")).isEqualTo(new Arrival.Odd<>(
        "ranks on node a called start-output, ranks on node b called finalize"));
    book.done("they differ");
    assertThat(book.arrive("b", 5, Step.FINALIZE, "")).isEqualTo(new Arrival.Known<>("they differ"));
  }

  @Test
  void onlyTheLastAndTheNextGatherCanBeAskedFor() {
    for (long number : new long[] {-1, 0, 3, 6, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> book.arrive("a", number, Step.FINALIZE, ""))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST))
          .hasMessage("node a is at gather " + number + ", the run at 5");
    }
    assertThat(book.arrive("a", 4, Step.FINALIZE, "")).isEqualTo(new Arrival.Known<>("four"));
    assertThat(book.waitingIn()).isEmpty();
  }

  @Test
  void aNodeOutsideTheRunChangesNothing() {
    book.arrive("a", 5, Step.FINALIZE, "");
    assertThatThrownBy(() -> book.arrive("d", 5, Step.FINALIZE, ""))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST))
        .hasMessageContaining("node d");
    assertThat(book.missing()).containsExactly("b", "c");
  }

  @Test
  void aResultThatNobodyAskedForIsNotTakenForThatOfTheNextGather() {
    assertThatThrownBy(() -> book.done("early")).isInstanceOf(IllegalStateException.class);
    gatherAll(5);
    book.done("five");
    assertThatThrownBy(() -> book.done("five, told twice")).isInstanceOf(IllegalStateException.class);
    assertThat(book.doneNumber()).isEqualTo(5);
    assertThat(book.arrive("a", 5, Step.FINALIZE, "")).isEqualTo(new Arrival.Known<>("five"));
  }

  private void gatherAll(long number) {
    book.arrive("a", number, Step.FINALIZE, "");
    book.arrive("b", number, Step.FINALIZE, "");
    assertThat(book.arrive("c", number, Step.FINALIZE, "")).isInstanceOf(Arrival.All.class);
  }
}
