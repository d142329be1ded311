package io.vertxscr.flow.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.flow.scrub.ScrubSchedule.Due;
import io.vertxscr.model.DatasetKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: everything is read within its round, evenly, and never faster than the bound. Method: single decisions; then
 * rounds of a reader that does what it is told, on a clock of its own, with the pacer of the service.
 */
class ScrubScheduleTest {
  private static final long ROUND_MS = 1_000_000;
  private static final ScrubSchedule SCHEDULE = new ScrubSchedule(ROUND_MS, 1_000_000);

  private static Due due(int id, long bytes, long lookedMs) {
    return new Due(new DatasetKey(id, id), bytes, lookedMs);
  }

  @Test
  void theOldestLookIsTheNextAndOfTwoThatAreAsOldTheOlderDataset() {
    assertThat(SCHEDULE.next(List.of())).isEmpty();
    assertThat(SCHEDULE.next(List.of(due(3, 1, 50), due(2, 1, 40), due(1, 1, 40))).orElseThrow().dataset().id())
        .isEqualTo(1);
  }

  @Test
  void theRateMeetsTheNarrowestDeadline() {
    assertThat(SCHEDULE.bytesPerSecond(List.of(), 0, 0)).isEqualTo(1);
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(1, 50_000, 0)), 0, 0)).isEqualTo(51);
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(1, 50_000, 0)), 0, ROUND_MS / 2)).isEqualTo(103);
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(2, 100_000, 0), due(1, 50_000, -900_000)), 0, 0))
        .as("50,000 bytes in 90 s").isEqualTo(556);
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(2, 900_000, 0), due(1, 1_000, -900_000)), 0, 0))
        .as("901,000 bytes in 990 s").isEqualTo(911);
  }

  @Test
  void whatWasReadAheadOfThePaceIsPaidOffFirst() {
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(1, 50_000, 0)), 49_000, 0)).as("99,000 in 990 s").isEqualTo(100);
  }

  @Test
  void whoIsLateReadsAsFastAsMayBe() {
    List<Due> late = List.of(due(1, 10, 0), due(2, 10, ROUND_MS));
    assertThat(SCHEDULE.isLate(late, ROUND_MS)).isFalse();
    assertThat(SCHEDULE.isLate(late, ROUND_MS + 1)).isTrue();
    assertThat(SCHEDULE.bytesPerSecond(late, 0, ROUND_MS + 1)).isEqualTo(1_000_000);
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(1, Long.MAX_VALUE / 2, 0)), 0, 0)).as("the bound")
        .isEqualTo(1_000_000);
  }

  @Test
  void aDatasetWithoutBytesHasItsTurnToo() {
    assertThat(SCHEDULE.bytesPerSecond(List.of(due(1, 0, -ROUND_MS + 10_010)), 0, 0)).isEqualTo(100);
    assertThat(SCHEDULE.next(List.of(due(1, 0, 5)))).isPresent();
  }

  @Test
  void noRoundAndNoBoundAreRefused() {
    assertThatThrownBy(() -> new ScrubSchedule(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ScrubSchedule(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  /** Datasets of different sizes, one of which comes later; pieces of 10,000 bytes; rests of at most 30 s. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everythingIsReadInEveryRoundAndThePaceIsEven(long seed) {
    Random random = new Random(seed);
    Map<Integer, Long> bytes = new HashMap<>();
    Map<Integer, Long> looked = new HashMap<>();
    int count = 1 + random.nextInt(6);
    for (int id = 1; id <= count; id++) {
      bytes.put(id, 1L + random.nextInt(3_000_000));
      looked.put(id, 0L);
    }
    Throttle pacer = new Throttle(0);
    Map<Integer, Long> done = new HashMap<>();
    long nowMs = 0;
    long all = 0;
    while (nowMs < 5 * ROUND_MS) {
      if (nowMs > 2 * ROUND_MS && bytes.size() == count) {
        bytes.put(99, 500_000L);
        looked.put(99, nowMs);
      }
      List<Due> dues = bytes.keySet().stream()
          .map(id -> due(id, bytes.get(id) - done.getOrDefault(id, 0L), looked.get(id))).toList();
      pacer.rate(SCHEDULE.bytesPerSecond(dues, pacer.debtBytes(nowMs * 1_000_000), nowMs), nowMs * 1_000_000);
      long delayNs = pacer.delayNs(nowMs * 1_000_000);
      if (delayNs > 0) {
        nowMs += Math.min(Math.ceilDiv(delayNs, 1_000_000), 30_000);
        continue;
      }
      int id = SCHEDULE.next(dues).orElseThrow().dataset().id();
      long piece = Math.min(10_000, bytes.get(id) - done.getOrDefault(id, 0L));
      pacer.took(piece);
      all += piece;
      if (done.merge(id, piece, Long::sum).equals(bytes.get(id))) {
        assertThat(nowMs - looked.get(id)).as("dataset %d", id).isLessThanOrEqualTo(ROUND_MS);
        looked.put(id, nowMs);
        done.remove(id);
      }
    }
    long held = bytes.values().stream().mapToLong(Long::longValue).sum();
    assertThat(all).as("bytes in five rounds").isBetween(3 * held, 10 * held);
  }
}
