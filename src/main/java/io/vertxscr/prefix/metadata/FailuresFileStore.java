package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.FailuresFile;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;

/**
 * {@code failures.scr} of a prefix directory. Replaced whole, under the lock of the index. A damaged file counts as
 * missing, and the next change replaces it: intervals are then computed from the prior. Blocking.
 */
public final class FailuresFileStore {
  private final PrefixPaths paths;
  private final PrefixLock lock;

  /** @param user who takes the lock of the index for a change */
  public FailuresFileStore(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.lock = new PrefixLock(paths, user);
  }

  /** Reads the failure history; empty if there is no file or a corrupt one. @throws ScrException IO */
  public FailureHistory read() {
    return read(paths);
  }

  /** Reads the failure history of a prefix directory. @throws ScrException IO */
  public static FailureHistory read(PrefixPaths paths) {
    try {
      return MetadataFiles.read(paths.failuresFile(), FailuresFile::decode).orElse(FailureHistory.EMPTY);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return FailureHistory.EMPTY;
    }
  }

  /** Adds what has happened since, durably; returns all of it. @throws ScrException BUSY, NO_SPACE, IO */
  public FailureHistory add(FailureHistory more) {
    return lock.with(() -> {
      FailureHistory sum = read().plus(more);
      AtomicFile.replace(paths.failuresFile(), FailuresFile.encode(sum));
      return sum;
    });
  }
}
