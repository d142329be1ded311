package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RestartHistory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: newest first, of the same one the caches first, without what somebody wants left alone. */
class RestartOrderTest {
  private static DatasetDescriptor dataset(int id) {
    return new DatasetDescriptor(id, "c" + id, DatasetFlags.CHECKPOINT, id, 100L * id, new Job("u", "j", "1", "c"),
        DatasetDescriptor.Totals.NONE);
  }

  private static List<DatasetDescriptor> datasets(int... ids) {
    return IntStream.of(ids).mapToObj(RestartOrderTest::dataset).toList();
  }

  private static FlushedCheckpoints newest(int... ids) {
    return new FlushedCheckpoints(datasets(ids), Integer.MAX_VALUE, IntStream.of(ids).max().orElse(0));
  }

  private static List<String> order(List<DatasetDescriptor> cached, FlushedCheckpoints flushed, RestartHistory history,
      Integer... excluded) {
    return RestartOrder.of(cached, flushed, history, List.of(excluded)).stream()
        .map(candidate -> (candidate.cached() ? "cache " : "prefix ") + candidate.descriptor().id()).toList();
  }

  @Test
  void theNewestComesFirstAndTheCachesBeforeThePrefix() {
    assertThat(order(datasets(9, 8), newest(8, 5), RestartHistory.EMPTY))
        .containsExactly("cache 9", "cache 8", "prefix 8", "prefix 5");
    assertThat(order(datasets(9, 8), newest(8, 5), RestartHistory.EMPTY, 9, 8)).containsExactly("prefix 5");
    assertThat(order(List.of(), newest(), RestartHistory.EMPTY)).isEmpty();
  }

  @Test
  void anOlderCurrentOfTheIndexLeavesNewerOnesAloneInTheCachesTooButNotWhatCameLater() {
    FlushedCheckpoints set = new FlushedCheckpoints(datasets(5, 2), 5, 10);
    assertThat(order(datasets(12, 10, 8, 5), set, RestartHistory.EMPTY))
        .containsExactly("cache 12", "cache 5", "prefix 5", "prefix 2");
    FlushedCheckpoints newestIsCurrent = new FlushedCheckpoints(datasets(10, 5), 10, 10);
    assertThat(order(datasets(11, 10), newestIsCurrent, RestartHistory.EMPTY))
        .containsExactly("cache 11", "cache 10", "prefix 10", "prefix 5");
  }

  @Test
  void whatSomebodyHasNamedIsBegunWith() {
    RestartHistory history = RestartHistory.EMPTY.startingFrom(dataset(5), 10);
    assertThat(order(datasets(11, 10, 6, 5), newest(8, 4), history))
        .containsExactly("cache 11", "cache 5", "prefix 4");
  }

  @Test
  void whatIsInQuarantineComesLast() {
    RestartHistory history = RestartHistory.EMPTY;
    for (int i = 0; i < Limits.MAX_FRUITLESS_LOADS; i++) {
      history = history.loaded(9, 900, "c9", 1);
    }
    assertThat(order(datasets(9, 8), newest(9, 5), history.quarantine(Limits.MAX_FRUITLESS_LOADS)))
        .containsExactly("cache 8", "prefix 5", "cache 9", "prefix 9");
  }

  @Test
  void whatTheProgramHasLeftComesAfterAllOthersWhereverItIs() {
    RestartHistory history = RestartHistory.EMPTY.departed(5, 500, 850);
    assertThat(order(datasets(9, 8, 7), newest(7, 5, 4), history))
        .containsExactly("cache 9", "prefix 5", "prefix 4", "cache 8", "cache 7", "prefix 7");
  }
}
