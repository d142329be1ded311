package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RestartFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import java.util.function.UnaryOperator;

/**
 * {@code restart.scr} of a prefix directory. Replaced whole, under the lock of the index. A damaged file counts as
 * missing, and the next change replaces it: at worst a failing checkpoint is retried a few times more.
 */
public final class RestartFileStore {
  private final PrefixPaths paths;
  private final PrefixLock lock;

  /** @param user who takes the lock of the index for a change */
  public RestartFileStore(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.lock = new PrefixLock(paths, user);
  }

  /** Reads the restart history. @throws ScrException IO */
  public RestartHistory read() {
    try {
      return MetadataFiles.read(paths.restartFile(), RestartFile::decode).orElse(RestartHistory.EMPTY);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return RestartHistory.EMPTY;
    }
  }

  /** Changes it durably; writes nothing where nothing changes. @throws ScrException BUSY, NO_SPACE, IO */
  public RestartHistory update(UnaryOperator<RestartHistory> change) {
    RestartHistory present = read();
    if (change.apply(present).equals(present)) {
      return present;
    }
    return lock.with(() -> {
      RestartHistory history = change.apply(read());
      AtomicFile.replace(paths.restartFile(), RestartFile.encode(history));
      return history;
    });
  }
}
