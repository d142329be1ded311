package io.vertxscr.config.run;

import io.vertxscr.config.Checks;
import io.vertxscr.model.DatasetFlags;

/**
 * When datasets go to the prefix directory.
 *
 * @param everyCheckpoints each so many-th checkpoint is flushed; 0 for none. Output always is. (SCR_FLUSH)
 * @param background whether complete-output returns before the flush is done (SCR_FLUSH_ASYNC)
 * @param crc whether checksums are written beside the files (SCR_CRC_ON_FLUSH)
 */
public record FlushPolicy(int everyCheckpoints, boolean background, boolean crc) {
  public FlushPolicy {
    Checks.range("checkpoints per flush", everyCheckpoints, 0, Integer.MAX_VALUE);
  }

  /** With checksums. */
  public static FlushPolicy every(int checkpoints, boolean background) {
    return new FlushPolicy(checkpoints, background, true);
  }

  /** Whether the dataset with these flags and this checkpoint id, counting from 1, is to be flushed. */
  public boolean wants(DatasetFlags flags, int checkpointId) {
    return flags.output()
        || (everyCheckpoints > 0 && flags.checkpoint() && checkpointId % everyCheckpoints == 0);
  }
}
