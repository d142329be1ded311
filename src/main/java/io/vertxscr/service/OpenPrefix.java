package io.vertxscr.service;

import io.vertxscr.model.PrefixToken;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.prefix.publish.Publication;

/**
 * A prefix directory in which a node works: its paths and its metadata files. Touches nothing itself; any thread.
 *
 * @param user who takes its locks; what does so runs in {@link Prefixes#locked}
 */
public record OpenPrefix(PrefixPaths paths, LockUser user) {
  /** The same for the leader with this token. Nothing is done under a lock unless it is still the newest. */
  public OpenPrefix as(PrefixToken token) {
    return new OpenPrefix(paths, user.with(token));
  }

  public PrefixIndex index() {
    return new PrefixIndex(paths, user);
  }

  public Publication publication() {
    return new Publication(paths, index());
  }

  public HaltFileStore haltFile() {
    return new HaltFileStore(paths, user);
  }

  public FlushFileStore flushFile() {
    return new FlushFileStore(paths, user);
  }

  public RestartFileStore restartFile() {
    return new RestartFileStore(paths, user);
  }

  public FailuresFileStore failuresFile() {
    return new FailuresFileStore(paths, user);
  }
}
