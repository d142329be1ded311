package io.vertxscr.config.policy;

import io.vertxscr.model.Limits;
import java.util.Objects;
import java.util.Optional;

/**
 * Sources of a restart's checkpoint.
 *
 * @param fetch whether from the prefix directory (SCR_FETCH)
 * @param bypass whether ranks read there, without a copy in the cache (SCR_FETCH_BYPASS)
 * @param distribute whether from the caches; false empties them (SCR_DISTRIBUTE)
 * @param flushOnRestart whether cached datasets are flushed before the run begins (SCR_FLUSH_ON_RESTART)
 * @param globalRestart whether every rank must be able to read all files, and so from the prefix directory
 *     (SCR_GLOBAL_RESTART)
 * @param choice which of several it takes
 * @param readers files that are read in the prefix directory at once, on all nodes together (SCR_FETCH_WIDTH)
 * @param verifyAll whether cached files are read that are sealed and untouched (SCR_VERIFY_ON_RESTART)
 */
public record FetchPolicy(boolean fetch, boolean bypass, boolean distribute, boolean flushOnRestart,
    boolean globalRestart, CheckpointChoice choice, int readers, boolean verifyAll) {
  /**
   * Which checkpoint a restart takes.
   *
   * @param current name of the dataset to begin with, instead of the one that the index says (SCR_CURRENT)
   * @param loopLimit so many runs that restart from one checkpoint and complete no other put it in quarantine; 0: only
   *     those count that do not complete the restart itself (SCR_RESTART_LOOP_LIMIT)
   */
  public record CheckpointChoice(Optional<String> current, int loopLimit) {
    public CheckpointChoice {
      Objects.requireNonNull(current);
      Checks.range("limit of restart loops", loopLimit, 0, Integer.MAX_VALUE);
    }

    /** Whether a run counts against its checkpoint until it has completed another one. */
    public boolean breaksLoops() {
      return loopLimit > 0;
    }

    /** So many runs that count put their checkpoint in quarantine. */
    public int mostFruitlessLoads() {
      return breaksLoops() ? loopLimit : Limits.MAX_FRUITLESS_LOADS;
    }
  }

  private static final int STANDARD_READERS = 256;
  public static final FetchPolicy STANDARD = new FetchPolicy(true, false, true, false, false, Optional.empty());

  public FetchPolicy {
    Objects.requireNonNull(choice);
    Checks.range("readers of a fetch", readers, 1, Integer.MAX_VALUE);
  }

  /** Returns the policy starting with this dataset. */
  public FetchPolicy beginningWith(Optional<String> other) {
    return new FetchPolicy(fetch, bypass, distribute, flushOnRestart, globalRestart,
        new CheckpointChoice(other, choice.loopLimit), readers, verifyAll);
  }

  /** The same for a restart whose ranks read in the prefix directory. */
  public FetchPolicy bypassing() {
    return new FetchPolicy(fetch, true, distribute, flushOnRestart, globalRestart, choice, readers, verifyAll);
  }

  /** Creates a policy with the default numbers of readers and limit, which does not read sealed files. */
  public FetchPolicy(boolean fetch, boolean bypass, boolean distribute, boolean flushOnRestart,
      boolean globalRestart, Optional<String> current) {
    this(fetch, bypass, distribute, flushOnRestart, globalRestart, new CheckpointChoice(current, 0), STANDARD_READERS,
        false);
  }

  /** Name of the configured dataset to restart from, if any. */
  public Optional<String> current() {
    return choice.current;
  }
}
