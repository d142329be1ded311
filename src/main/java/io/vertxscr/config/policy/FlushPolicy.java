package io.vertxscr.config.policy;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FlushDescriptor;
import java.util.Objects;

/**
 * When datasets go to the prefix directory.
 *
 * @param everyCheckpoints every n-th checkpoint is flushed; 0 for none. Output always is. (SCR_FLUSH)
 * @param background whether complete-output returns before the flush is done (SCR_FLUSH_ASYNC)
 * @param writers that may write to the file system at the same time, on all nodes together (SCR_FLUSH_WIDTH)
 * @param bytesPerSecond that they may write together in the background, 0 for no limit (SCR_FLUSH_ASYNC_BW)
 * @param descriptor how files go there (SCR_USE_CONTAINERS, SCR_CONTAINER_SIZE, SCR_CONTAINER_ALIGN)
 */
public record FlushPolicy(int everyCheckpoints, boolean background, int writers, long bytesPerSecond,
    FlushDescriptor descriptor) {
  private static final int STANDARD_WRITERS = 256;

  public FlushPolicy {
    Checks.range("checkpoints per flush", everyCheckpoints, 0, Integer.MAX_VALUE);
    Checks.range("writers of a flush", writers, 1, Integer.MAX_VALUE);
    if (bytesPerSecond < 0) {
      throw Checks.bad("bandwidth of a flush is " + bytesPerSecond + " bytes a second: expected 0 or more");
    }
    Objects.requireNonNull(descriptor);
  }

  /** Every n-th, without a limit on the bandwidth. */
  public static FlushPolicy every(int checkpoints, boolean background) {
    return new FlushPolicy(checkpoints, background, STANDARD_WRITERS, 0, FlushDescriptor.FILES);
  }

  /** Whether the dataset with these flags and this checkpoint id, counting from 1, is to be flushed. */
  public boolean wants(DatasetFlags flags, int checkpointId) {
    return flags.output()
        || (everyCheckpoints > 0 && flags.checkpoint() && checkpointId % everyCheckpoints == 0);
  }
}
