package io.vertxscr.prefix.metadata;

import io.vertxscr.storage.LocalFiles;
import java.time.Clock;

/**
 * Who takes the lock of a prefix directory.
 *
 * @param holder what others are told who wait for it in vain, such as the node's name
 * @param files of the process, which know whether another part of it has the lock
 * @param clock says since when it is held
 * @param waiting what it does while somebody else has it
 */
public record LockUser(String holder, LocalFiles files, Clock clock, Waiting waiting) {
  public LockUser {
    holder = holder.replaceAll("\\p{Cntrl}", " ");
  }

  /** Tries once: on a loop, which can wait by itself; see {@code service.LockedJobs}. */
  public LockUser(String holder, LocalFiles files, Clock clock) {
    this(holder, files, clock, (held, _) -> {
      throw held;
    });
  }

  /** What one does who has not got the lock. */
  @FunctionalInterface
  public interface Waiting {
    /**
     * Returns when it is to be tried again; else throws.
     *
     * @param tries made so far
     */
    void after(LockHeldException held, int tries);
  }
}
