package io.vertxscr.config.policy;

import io.vertxscr.model.Descriptors;
import java.util.Objects;

/** All that is configured for a run. The leader reads it once, when the run begins; every node of the run has it. */
public record RunPolicy(Descriptors descriptors, CachePolicy cache, FlushPolicy flush, FetchPolicy fetch,
    IntervalPolicy interval, HaltPolicy halt, LogPolicy log) {
  public RunPolicy {
    Objects.requireNonNull(descriptors);
    Objects.requireNonNull(cache);
    Objects.requireNonNull(flush);
    Objects.requireNonNull(fetch);
    Objects.requireNonNull(interval);
    Objects.requireNonNull(halt);
    Objects.requireNonNull(log);
  }

  /** These descriptors and flushes, and defaults for the rest. */
  public static RunPolicy of(Descriptors descriptors, FlushPolicy flush) {
    return new RunPolicy(descriptors, CachePolicy.STANDARD, flush, FetchPolicy.STANDARD, IntervalPolicy.STANDARD,
        HaltPolicy.STANDARD, LogPolicy.STANDARD);
  }

  /** Returns the run policy with other rules for restarts. */
  public RunPolicy with(FetchPolicy other) {
    return new RunPolicy(descriptors, cache, flush, other, interval, halt, log);
  }

  /** Returns the run policy with other rules for caches. */
  public RunPolicy with(CachePolicy other) {
    return new RunPolicy(descriptors, other, flush, fetch, interval, halt, log);
  }

  /** Returns the run policy with other descriptors. */
  public RunPolicy with(Descriptors other) {
    return new RunPolicy(other, cache, flush, fetch, interval, halt, log);
  }
}
