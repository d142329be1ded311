package io.vertxscr.config.policy;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FlushDescriptor;
import java.util.Objects;
import java.util.Optional;

/** All that is configured for a run. The leader reads it once, when the run begins; every node of the run has it. */
public record RunPolicy(Descriptors descriptors, CachePolicy cache, FlushPolicy flush, FetchPolicy fetch,
    IntervalPolicy interval, HaltPolicy halt, LogPolicy log, Optional<UserFile> userFile) {
  public RunPolicy {
    Objects.requireNonNull(descriptors);
    Objects.requireNonNull(cache);
    Objects.requireNonNull(flush);
    Objects.requireNonNull(fetch);
    Objects.requireNonNull(interval);
    Objects.requireNonNull(halt);
    Objects.requireNonNull(log);
    Objects.requireNonNull(userFile);
  }

  /** Read from no user's file. */
  public RunPolicy(Descriptors descriptors, CachePolicy cache, FlushPolicy flush, FetchPolicy fetch,
      IntervalPolicy interval, HaltPolicy halt, LogPolicy log) {
    this(descriptors, cache, flush, fetch, interval, halt, log, Optional.empty());
  }

  /** These descriptors and flushes, and defaults for the rest. */
  public static RunPolicy of(Descriptors descriptors, FlushPolicy flush) {
    return new RunPolicy(descriptors, CachePolicy.STANDARD, flush, FetchPolicy.STANDARD, IntervalPolicy.STANDARD,
        HaltPolicy.STANDARD, LogPolicy.STANDARD);
  }

  /** Returns the run policy with other rules for restarts. */
  public RunPolicy with(FetchPolicy other) {
    return new RunPolicy(descriptors, cache, flush, other, interval, halt, log, userFile);
  }

  /** Returns the run policy with other rules for caches. */
  public RunPolicy with(CachePolicy other) {
    return new RunPolicy(descriptors, other, flush, fetch, interval, halt, log, userFile);
  }

  /** Returns the run policy with other descriptors. */
  public RunPolicy with(Descriptors other) {
    return new RunPolicy(other, cache, flush, fetch, interval, halt, log, userFile);
  }

  /** Returns the run policy with the user's file that it was read from. */
  public RunPolicy with(UserFile file) {
    return new RunPolicy(descriptors, cache, flush, fetch, interval, halt, log, Optional.of(file));
  }

  /** Returns the form in which datasets of a checkpoint descriptor are flushed. */
  public FlushDescriptor form(CheckpointDescriptor how) {
    return flush.descriptor().with(descriptors.compression(how));
  }

  /**
   * Returns what an object store as prefix directory cannot do. In a sentence, with the parameter; empty: nothing of
   * this.
   */
  public Optional<String> needsFileSystem() {
    if (flush.descriptor().containers().isPresent()) {
      return Optional.of("SCR_USE_CONTAINERS=1 packs files into containers, which are written in place");
    } else if (fetch.bypass()) {
      return Optional.of("with SCR_FETCH_BYPASS=1 ranks read there");
    } else if (fetch.globalRestart()) {
      return Optional.of("with SCR_GLOBAL_RESTART=1 ranks read there");
    } else if (cache.bypassWhenFull()) {
      return Optional.of("with SCR_CACHE_FULL=BYPASS ranks write there");
    }
    return descriptors.checkpoints().stream().filter(CheckpointDescriptor::enabled)
        .filter(CheckpointDescriptor::bypass).findFirst()
        .map(one -> "with SCR_CACHE_BYPASS=1, SCR_CACHE_SIZE=0 or BYPASS=1 of CKPT " + one.index()
            + " ranks write there");
  }
}
