package io.vertxscr.service.run;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers of runs, and of what the leader does between them. Above all that it has heard of, and not below the clock.
 * On the node's loop.
 */
public final class RunNumbering {
  private static final Logger LOG = LoggerFactory.getLogger(RunNumbering.class);
  /** By how much clocks of nodes may be apart: one may begin at 1970 where a node has no battery. */
  private static final long MAX_AHEAD_US = Duration.ofDays(36_500).toNanos() / 1000;

  private final LongSupplier clockUs;
  private long last;

  /** @param clockUs microseconds since 1970 */
  public RunNumbering(LongSupplier clockUs) {
    this.clockUs = clockUs;
  }

  /** A node says that a run has this number: later ones get higher numbers. */
  public void heard(long run) {
    last = Math.max(last, plausible(run));
  }

  /** Returns a number above all earlier ones, and above this time. */
  public long next(long us) {
    last = Math.max(Math.max(last, plausible(us)) + 1, clockUs.getAsLong());
    return last;
  }

  /** Returns the number, 0 if no clock can have given it. From there on numbers would soon come to their end. */
  private long plausible(long number) {
    if (number - MAX_AHEAD_US <= clockUs.getAsLong()) {
      return number;
    }
    LOG.warn("a run or dataset of {} us since 1970 does not count for the number of the next run", number);
    return 0;
  }
}
