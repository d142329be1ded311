package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.time.Duration;

/** Somebody else has the lock of a prefix directory. Nothing was done, and the same may be tried a little later. */
public final class LockHeldException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockHeldException(Path file, String by) {
    super(file + " is held by " + by, null, false, false);
  }

  /** The failure of who has tried for so long. */
  public ScrException busy(Duration patience) {
    return new ScrException(Fault.BUSY, getMessage() + "; gave up after " + patience.toMillis() + " ms");
  }
}
