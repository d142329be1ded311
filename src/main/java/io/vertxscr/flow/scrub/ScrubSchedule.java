package io.vertxscr.flow.scrub;

import io.vertxscr.model.DatasetKey;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which dataset of a node is read next, and how fast, for each to be read in every round. Pure.
 *
 * <p>Oldest look first is earliest deadline first, as all have one round. The rate is the least that meets every
 * deadline: the greatest, over all datasets, of the bytes due up to its deadline by the time until then. Everything
 * that is read in turn at that rate gets a share of the time that is its share of the bytes. The last hundredth of a
 * round is kept free, for rests and rounding.
 *
 * @param roundMs within which each dataset is read
 * @param mostBytesPerSecond upper bound, also of who is late
 */
public record ScrubSchedule(long roundMs, long mostBytesPerSecond) {
  private static final int SPARE_PART = 100;
  private static final Comparator<Due> OLDEST_FIRST =
      Comparator.comparingLong(Due::lookedMs).thenComparingInt(due -> due.dataset().id());

  /**
   * A dataset.
   *
   * @param leftBytes to be read until its look is over
   * @param lookedMs when its last look was over, or it came; any clock
   */
  public record Due(DatasetKey dataset, long leftBytes, long lookedMs) {}

  public ScrubSchedule {
    if (roundMs < 1 || mostBytesPerSecond < 1) {
      throw new IllegalArgumentException("a round of " + roundMs + " ms at " + mostBytesPerSecond + " bytes a second");
    }
  }

  /** The dataset to be read next; empty without any. */
  public Optional<Due> next(List<Due> datasets) {
    return datasets.stream().min(OLDEST_FIRST);
  }

  /**
   * The rate from now on, at least 1.
   *
   * @param owedBytes read already, ahead of the pace
   */
  public long bytesPerSecond(List<Due> datasets, long owedBytes, long nowMs) {
    double rate = 1;
    long bytes = owedBytes;
    for (Due due : datasets.stream().sorted(OLDEST_FIRST).toList()) {
      bytes += Math.max(1, due.leftBytes());              // without a byte there is still a file to be looked at
      long leftMs = due.lookedMs() + roundMs - roundMs / SPARE_PART - nowMs;
      if (leftMs <= 0) {
        return mostBytesPerSecond;
      }
      rate = Math.max(rate, bytes * 1000.0 / leftMs);
    }
    return (long) Math.min(Math.ceil(rate), mostBytesPerSecond);
  }

  /** Whether some dataset was not read within its round. */
  public boolean isLate(List<Due> datasets, long nowMs) {
    return datasets.stream().anyMatch(due -> due.lookedMs() + roundMs < nowMs);
  }
}
