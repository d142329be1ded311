package io.vertxscr.protocol.node;

import io.vertxscr.config.run.RunPolicy;
import io.vertxscr.model.RankMap;
import java.util.Optional;

/**
 * A run that has begun.
 *
 * @param run its number, by the leader's clock: unique, and ascending
 * @param prefix absolute path of the prefix directory
 * @param restart the checkpoint that the application may read, where there is one
 * @param policy what is configured for it, with the groups of its nodes
 */
public record RunInfo(long run, String prefix, String jobName, RankMap map, Optional<Restartable> restart,
    Last last, RunPolicy policy) {

  /** A checkpoint whose files are in place on every rank's node; created tells histories apart. */
  public record Restartable(int datasetId, long createdUs, String name) {}

  /** Highest ids that were known when the run began. */
  public record Last(int datasetId, int checkpointId) {}

  /** The same run with another checkpoint to read. */
  public RunInfo with(Optional<Restartable> other) {
    return new RunInfo(run, prefix, jobName, map, other, last, policy);
  }
}
