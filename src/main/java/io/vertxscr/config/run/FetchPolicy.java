package io.vertxscr.config.run;

import io.vertxscr.config.Checks;
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
 * @param readers files that are read in the prefix directory at once, on all nodes together (SCR_FETCH_WIDTH)
 */
public record FetchPolicy(boolean fetch, boolean bypass, boolean distribute, boolean flushOnRestart,
    boolean globalRestart, Optional<String> current, int readers) {
  private static final int STANDARD_READERS = 256;
  public static final FetchPolicy STANDARD = new FetchPolicy(true, false, true, false, false, Optional.empty());

  public FetchPolicy {
    Objects.requireNonNull(current);
    Checks.range("readers of a fetch", readers, 1, Integer.MAX_VALUE);
  }

  /** The same, beginning with this dataset. */
  public FetchPolicy beginningWith(Optional<String> other) {
    return new FetchPolicy(fetch, bypass, distribute, flushOnRestart, globalRestart, other, readers);
  }

  /** With as many readers as where nobody says anything. */
  public FetchPolicy(boolean fetch, boolean bypass, boolean distribute, boolean flushOnRestart,
      boolean globalRestart, Optional<String> current) {
    this(fetch, bypass, distribute, flushOnRestart, globalRestart, current, STANDARD_READERS);
  }
}
