package io.vertxscr.config;

/**
 * When datasets go to the prefix directory.
 *
 * @param everyCheckpoints each so many-th checkpoint is flushed; 0 for none. Output always is.
 * @param background whether complete-output returns before the flush is done
 */
public record FlushSettings(int everyCheckpoints, boolean background) {
  public FlushSettings {
    Checks.range("checkpoints per flush", everyCheckpoints, 0, Integer.MAX_VALUE);
  }

  /** Whether the checkpoint with this id, counting from 1, is to be flushed. */
  public boolean wants(int checkpointId) {
    return everyCheckpoints > 0 && checkpointId > 0 && checkpointId % everyCheckpoints == 0;
  }
}
