package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: a checkpoint that leads nowhere is passed over after so many times, and for no other reason. */
class RestartHistoryTest {
  private static DatasetDescriptor dataset(int id) {
    return new DatasetDescriptor(id, "c" + id, DatasetFlags.CHECKPOINT, id, 100L * id, new Job("u", "j", "1", "c"),
        DatasetDescriptor.Totals.NONE);
  }

  private static RestartHistory loaded(RestartHistory history, int id, int times) {
    return IntStream.range(0, times).boxed().reduce(
        history, (before, _) -> before.loaded(id, 100L * id, "c" + id, 7), (a, _) -> a);
  }

  private static RestartHistory quarantined() {
    return loaded(RestartHistory.EMPTY, 5, Limits.MAX_FRUITLESS_LOADS).quarantine(Limits.MAX_FRUITLESS_LOADS);
  }

  @Test
  void aCheckpointIsQuarantinedAfterItsLastFruitlessLoadAndNotBefore() {
    for (int times = 0; times <= 2 * Limits.MAX_FRUITLESS_LOADS; times++) {
      RestartHistory history = loaded(RestartHistory.EMPTY, 5, times);
      assertThat(history.quarantined(dataset(5))).isFalse();
      RestartHistory judged = history.quarantine(Limits.MAX_FRUITLESS_LOADS);
      assertThat(judged.quarantined(dataset(5))).isEqualTo(times >= Limits.MAX_FRUITLESS_LOADS);
      assertThat(judged.quarantine(Limits.MAX_FRUITLESS_LOADS)).isEqualTo(judged);
      assertThat(history.restarted(6)).as("of another run").isEqualTo(history);
      assertThat(history.restarted(7).loads()).as("it has read all").isEmpty();
      assertThat(judged.restarted(7).quarantined(dataset(5))).isEqualTo(judged.quarantined(dataset(5)));
    }
  }

  @Test
  void progressForgivesTheLoadsButNotAQuarantine() {
    RestartHistory bad = loaded(RestartHistory.EMPTY, 5, Limits.MAX_FRUITLESS_LOADS);
    assertThat(bad.progressed().loads()).isEmpty();
    RestartHistory kept = loaded(bad.quarantine(Limits.MAX_FRUITLESS_LOADS), 4, 2).progressed();
    assertThat(kept.loads()).singleElement().satisfies(load -> assertThat(load.isOf(dataset(5))).isTrue());
    assertThat(kept.lifted("c5").loads()).isEmpty();
  }

  @Test
  void whatARunHasReadThatLostANodeDoesNotCountHoweverOftenItIsTold() {
    RestartHistory once = RestartHistory.EMPTY.loaded(5, 500, "c5", 1);
    assertThat(once.excused(1).loads()).isEmpty();
    RestartHistory twice = once.loaded(5, 500, "c5", 2);
    assertThat(twice.excused(2)).isEqualTo(twice.excused(2).excused(2));
    assertThat(twice.excused(2).loads()).singleElement().satisfies(load -> assertThat(load.times()).isOne());
    assertThat(twice.excused(1)).as("a run before the last one").isEqualTo(twice);
    RestartHistory bad = quarantined();
    assertThat(bad.excused(7)).as("in quarantine it stays").isEqualTo(bad);
  }

  @Test
  void anIdOfAnotherHistoryIsAnotherDataset() {
    RestartHistory history = quarantined();
    RestartHistory other = history.loaded(5, 777, "c5", 7);
    assertThat(other.loads()).singleElement().satisfies(load -> assertThat(load.times()).isEqualTo(1));
    assertThat(other.quarantined(dataset(5))).isFalse();
  }

  @Test
  void fromANamedDatasetOnWhatWasKnownThenAndIsNewerIsLeftAloneAndNothingElse() {
    RestartHistory history = quarantined()
        .startingFrom(dataset(5), 10);
    for (int id = 1; id <= 20; id++) {
      assertThat(history.allows(dataset(id))).as("dataset %d", id).isEqualTo(id <= 5 || id > 10);
    }
    assertThat(history.quarantined(dataset(5))).isFalse();
    assertThat(history.lastDatasetId()).isEqualTo(10);
    assertThat(history.knowing(3).lastDatasetId()).isEqualTo(10);
  }

  @Test
  void whatContinuedFromTheCheckpointOfARunBeforeItIsLeftWhenTheRunHasCompletedAnotherOne() {
    RestartHistory left = RestartHistory.EMPTY.departed(4, 400, 1000);   // datasets are created at 100 times their id
    assertThat(IntStream.rangeClosed(1, 12).filter(id -> left.left(dataset(id)))).containsExactly(5, 6, 7, 8, 9);
    assertThat(left.departed(4, 400, 1000)).as("noted twice").isEqualTo(left);
    assertThat(left.departed(3, 300, 1100).departures()).as("says all of the first").hasSize(1);
    assertThat(left.departed(11, 1100, 2000).departures()).hasSize(2);
    assertThat(left.left(new DatasetDescriptor(4, "c4", DatasetFlags.CHECKPOINT, 4, 399,
        new Job("u", "j", "1", "c"), DatasetDescriptor.Totals.NONE))).as("of another history").isTrue();
  }

  @Test
  void whoReturnsToABranchHasNotLeftIt() {
    RestartHistory left = RestartHistory.EMPTY.departed(4, 400, 1000);
    assertThat(left.departed(6, 600, 3000).left(dataset(6))).as("a run has restarted from it").isFalse();
    assertThat(left.startingFrom(dataset(6), 12).left(dataset(6))).as("somebody has named it").isFalse();
    assertThat(left.startingAnywhere().left(dataset(6))).isFalse();
    assertThat(left.progressed().excused(1).knowing(20)).extracting(RestartHistory::departures)
        .isEqualTo(left.departures());
  }

  @Test
  void onlyTheLastDeparturesAreKept() {
    RestartHistory all = RestartHistory.EMPTY;
    for (int id = 1; id <= 2 * RestartHistory.MOST_DEPARTURES; id++) {
      all = all.departed(id, 100L * id, 100L * id + 50);
    }
    assertThat(all.departures()).hasSize(RestartHistory.MOST_DEPARTURES);
    assertThat(all.departures().getLast().datasetId()).isEqualTo(2 * RestartHistory.MOST_DEPARTURES);
  }
}
