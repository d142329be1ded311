package io.vertxscr.launch;

import java.util.OptionalLong;

/**
 * Whether a run hangs, by the time since its last sign of life: the begin or end of a phase. Killing a run that works
 * is worse than losing time, so without a timeout of the user the limit is far above all that this job has needed.
 * Times are of any steady clock, in milliseconds. Not thread-safe.
 */
public final class Watchdog {
  private static final int FACTOR = 5;
  private static final long LEAST_MS = 60_000;
  /** Fewer say nothing: the first phases of a program are often quick. */
  private static final int NEEDED = 3;

  private final OptionalLong fixedMs;
  private final boolean learns;
  private long longestMs;
  private int learned;
  private long lastMs;
  private boolean phaseSeen;
  private boolean watching;

  /**
   * Watches nothing yet.
   *
   * @param fixedMs the user's; empty to learn, or not to watch
   * @param learns whether to watch without the user's
   */
  public Watchdog(OptionalLong fixedMs, boolean learns) {
    this.fixedMs = fixedMs;
    this.learns = learns;
  }

  /** A run has been started. What earlier runs of the job have needed still counts. */
  public void started(long nowMs) {
    lastMs = nowMs;
    phaseSeen = false;
    watching = fixedMs.isPresent() || learns;
  }

  /** A phase has begun or ended, or the run is over because of a failure: its program should end. */
  public void progress(long nowMs) {
    if (phaseSeen) {
      longestMs = Math.max(longestMs, nowMs - lastMs);
      learned++;
    }
    phaseSeen = true;
    lastMs = nowMs;
  }

  /** The application has finalized or ended: no further phases are expected. */
  public void ended() {
    watching = false;
  }

  /** Limit of a run's silence; empty if unknown. */
  public OptionalLong limitMs() {
    if (fixedMs.isPresent()) {
      return fixedMs;
    }
    return learns && learned >= NEEDED
        ? OptionalLong.of(Math.max(LEAST_MS, FACTOR * longestMs)) : OptionalLong.empty();
  }

  /** Whether it has been silent for longer. */
  public boolean isHung(long nowMs) {
    return watching && limitMs().isPresent() && nowMs - lastMs > limitMs().getAsLong();
  }
}
