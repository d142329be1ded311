package io.vertxscr.protocol.node;

import io.vertxscr.model.RankMap;

/**
 * A run that has begun.
 *
 * @param run its name, unique in the cluster's life
 * @param prefix absolute path of the prefix directory
 * @param restart the checkpoint that the application may read, or null
 * @param lastDatasetId highest dataset id known when it began
 * @param lastCheckpointId highest checkpoint id known when it began
 */
public record RunInfo(String run, String prefix, String jobName, RankMap map, Restartable restart,
    int lastDatasetId, int lastCheckpointId) {

  /** A checkpoint whose files are in place on every rank's node. */
  public record Restartable(int datasetId, String name) {}

  /** The same run with another checkpoint to read. */
  public RunInfo with(Restartable other) {
    return new RunInfo(run, prefix, jobName, map, other, lastDatasetId, lastCheckpointId);
  }
}
