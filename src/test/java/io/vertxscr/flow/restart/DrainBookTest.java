package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.restart.DrainBook.Drain;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: the leader says of each node what is so now, and tells it once. It never calls one drained that is needed. */
class DrainBookTest {
  private static final Held[] ALONE = IntStream.range(0, 4)
      .mapToObj(rank -> new Held(rank, new RedundancySet(List.of(rank)), true, false)).toArray(Held[]::new);

  private final DrainBook book = new DrainBook();
  private final Inventory n1 = RestorePlannerTest.inventory("n1", RestorePlannerTest.dataset(5, 77), Scheme.SINGLE,
      ALONE).asDrained();
  private final Inventory n2 = new Inventory("n2", List.of());
  private final Inventory copied = RestorePlannerTest.inventory("n2", RestorePlannerTest.dataset(5, 77), Scheme.SINGLE,
      ALONE);

  private List<Drain> end(List<Inventory> caches, Map<DatasetKey, String> kept) {
    return book.end(caches, kept, GroupDescriptors.BUILT_IN);
  }

  private DrainState state(String node) {
    return book.all().stream().filter(drain -> drain.node().equals(node)).findFirst().orElseThrow().state();
  }

  @Test
  void aNodeIsDrainedOnceNoDatasetNeedsItAndThatIsToldOnce() {
    book.mark("n1");
    assertThat(book.isOpen()).isTrue();
    assertThat(end(List.of(n1, copied), Map.of())).containsExactly(new Drain("n1", DrainState.DRAINED, ""));
    assertThat(book.isOpen()).isFalse();
    book.doubt();
    assertThat(state("n1")).isEqualTo(DrainState.DRAINING);
    assertThat(end(List.of(n1, copied), Map.of())).isEmpty();
    assertThat(state("n1")).isEqualTo(DrainState.DRAINED);
  }

  @Test
  void whatStaysOnItIsNamed() {
    book.mark("n1");
    assertThat(end(List.of(n1, n2), Map.of(n1.datasets().getFirst().key(), "no node has room")))
        .containsExactly(new Drain("n1", DrainState.STOPPED, "dataset 5: no node has room"));
    assertThat(end(List.of(n1, n2), Map.of()))
        .containsExactly(new Drain("n1", DrainState.STOPPED, "parts of dataset 5 are on this node alone"));
    book.failed(null);
    assertThat(book.all()).containsExactly(new Drain("n1", DrainState.STOPPED, ""));
  }

  /** Ranks 2 and 3 are on a node that is away: what this one has is needed when it returns. */
  @Test
  void aNodeWithPartsOfADatasetThatMayComeBackIsNotDrainedUntilANewerOneReplacesIt() {
    Held[] half = Arrays.copyOf(ALONE, 2);
    Inventory part = RestorePlannerTest.inventory("n1", RestorePlannerTest.dataset(5, 77), Scheme.SINGLE, half)
        .asDrained();
    book.mark("n1");
    assertThat(end(List.of(part, n2), Map.of())).singleElement().satisfies(drain -> {
      assertThat(drain.state()).isEqualTo(DrainState.STOPPED);
      assertThat(drain.cause()).startsWith("it has parts of datasets [5]").contains("drained when these return");
      assertThat(drain.lost()).containsExactly(5);
    });
    Inventory newer = RestorePlannerTest.inventory("n2", RestorePlannerTest.dataset(6, 78), Scheme.SINGLE, ALONE);
    assertThat(end(List.of(part, newer), Map.of())).containsExactly(new Drain("n1", DrainState.DRAINED, ""));
    assertThat(end(List.of(part, RestorePlannerTest.inventory("n2", RestorePlannerTest.dataset(4, 76),
        Scheme.SINGLE, ALONE)), Map.of())).extracting(Drain::state).as("older").containsExactly(DrainState.STOPPED);
  }

  @Test
  void theMarksAreThoseOfTheInventories() {
    book.mark("n2");
    assertThat(end(List.of(n1, n2), Map.of())).extracting(Drain::node).containsExactly("n1");
    assertThat(book.isMarked("n2")).isFalse();
    book.unmark("n1");
    assertThat(book.isEmpty()).isTrue();
  }

  @Test
  void thePercentageIsThatOfTheBytesOfAllDatasetsThatAreToBeMoved() {
    List<Inventory.Dataset> two = List.of(n1.datasets().getFirst(), RestorePlannerTest.inventory("n1",
        RestorePlannerTest.dataset(6, 78), Scheme.SINGLE, ALONE).datasets().getFirst());
    assertThat(book.percent(Optional.empty(), 0)).isZero();
    book.begin(two);
    assertThat(book.percent(Optional.of(two.getLast().key()), 0.5)).isEqualTo(25);
    book.moved(two.getLast().key());
    assertThat(book.percent(Optional.empty(), 0)).isEqualTo(50);
    book.moved(two.getFirst().key());
    assertThat(book.percent(Optional.empty(), 0)).isEqualTo(100);
  }
}
