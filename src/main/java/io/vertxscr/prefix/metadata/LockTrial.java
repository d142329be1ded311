package io.vertxscr.prefix.metadata;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether the locks of a prefix directory exclude between nodes. One holds a lock while the others try it.
 *
 * <p>A second process of the same node proves nothing: some file systems have locks for each node alone (Lustre with
 * {@code localflock}), or none at all. Blocking. Page: docs/flows/fencing.md.
 */
public final class LockTrial implements AutoCloseable {
  private final LocalFiles files;
  private final Path lock;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LockTrial(LocalFiles files, Path lock) {
    this.files = files;
    this.lock = lock;
  }

  /**
   * Holds the lock until it is closed, or the process ends. Several leaders may.
   *
   * @throws LockHeldException while a node tries the lock for another leader: for a moment
   * @throws ScrException IO
   */
  public static LockTrial hold(PrefixPaths paths, LockUser user) {
    Path lock = PrefixLock.real(paths, paths.trialLock());
    if (!user.files().share(lock)) {
      throw new LockHeldException(lock, "a node that tries it");
    }
    return new LockTrial(user.files(), lock);
  }

  /**
   * Whether the lock is refused to a node, as it must be while another one holds it. Makes nothing: the file system may
   * not be mounted here.
   *
   * @param user tries once
   * @throws ScrException IO, also where the lock is not there
   */
  public static boolean isRefused(PrefixPaths paths, LockUser user) {
    if (!Files.exists(paths.trialLock())) {
      throw new ScrException(Fault.IO, paths.trialLock() + " is not there");
    }
    try {
      return !PrefixLock.ofTrial(paths, user).with(() -> true);
    } catch (LockHeldException _) {
      return true;
    }
  }

  /** Ends it; once. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      files.unshare(lock);
    }
  }
}
