package io.vertxscr.config.run;

import java.util.Objects;
import java.util.Optional;

/**
 * Where a restart takes its checkpoint from.
 *
 * @param fetch whether from the prefix directory (SCR_FETCH)
 * @param bypass whether ranks read there, without a copy in the cache (SCR_FETCH_BYPASS)
 * @param distribute whether from the caches; false empties them (SCR_DISTRIBUTE)
 * @param flushOnRestart whether what the caches hold is flushed before the run begins (SCR_FLUSH_ON_RESTART)
 * @param globalRestart whether every rank must be able to read all files, and so from the prefix directory
 *     (SCR_GLOBAL_RESTART)
 * @param current name of the dataset to begin with, instead of the one that the index says (SCR_CURRENT)
 */
public record FetchPolicy(boolean fetch, boolean bypass, boolean distribute, boolean flushOnRestart,
    boolean globalRestart, Optional<String> current) {
  public static final FetchPolicy STANDARD = new FetchPolicy(true, false, true, false, false, Optional.empty());

  public FetchPolicy {
    Objects.requireNonNull(current);
  }
}
