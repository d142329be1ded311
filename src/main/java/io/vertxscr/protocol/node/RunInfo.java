package io.vertxscr.protocol.node;

import io.vertxscr.model.RankMap;
import io.vertxscr.model.Scheme;
import java.util.Optional;

/**
 * A run that has begun.
 *
 * @param run its number, by the leader's clock: unique, and ascending
 * @param prefix absolute path of the prefix directory
 * @param restart the checkpoint that the application may read, where there is one
 */
public record RunInfo(long run, String prefix, String jobName, RankMap map, Optional<Restartable> restart,
    Last last, Policy policy) {

  /** A checkpoint whose files are in place on every rank's node. */
  public record Restartable(int datasetId, String name) {}

  /** Highest ids that were known when the run began. */
  public record Last(int datasetId, int checkpointId) {}

  /**
   * The leader's settings, so that all nodes of a run do the same.
   *
   * @param base the store that takes the datasets, on every node
   * @param setSize fewest members of a redundancy set, where there are so many ranks
   * @param flushEvery each so many-th checkpoint is flushed, 0 for none
   * @param flushInBackground whether complete-output returns before the flush is done
   * @param cachedDatasets how many checkpoints a cache keeps
   */
  public record Policy(String base, Scheme scheme, int setSize, int flushEvery, boolean flushInBackground,
      int cachedDatasets) {}

  /** The same run with another checkpoint to read. */
  public RunInfo with(Optional<Restartable> other) {
    return new RunInfo(run, prefix, jobName, map, other, last, policy);
  }
}
