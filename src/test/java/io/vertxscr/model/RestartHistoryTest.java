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
}
