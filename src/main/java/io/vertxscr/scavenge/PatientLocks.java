package io.vertxscr.scavenge;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.time.Duration;

/** How commands take the lock of a prefix directory. They have no loop to wait on, and nothing else to do meanwhile. */
public final class PatientLocks {
  private static final long RETRY_MS = 10;
  /** A run holds the lock for moments. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private PatientLocks() {}

  /** As {@link #user(String, Duration)}, for 30 s. */
  public static LockUser user(String holder) {
    return user(holder, PATIENCE);
  }

  /**
   * Waits in the calling thread; fails with BUSY, naming the holder.
   *
   * @param holder name of the command
   */
  public static LockUser user(String holder, Duration patience) {
    return new LockUser(holder, LocalFiles.ofThisMachine(), Clock.systemDefaultZone(),
        (held, tries) -> pause(held, tries, patience));
  }

  private static void pause(LockHeldException held, int tries, Duration patience) {
    if (tries * RETRY_MS > patience.toMillis()) {
      throw held.busy(patience);
    }
    try {
      Thread.sleep(RETRY_MS);                             // polls a lock of another process
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while waiting: " + held.getMessage(), e);
    }
  }
}
