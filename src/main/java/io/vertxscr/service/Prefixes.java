package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;

/** The prefix directories of a node's runs, by their paths; one object per node. */
public final class Prefixes {
  private final Loop loop;
  private final LockedJobs locked;

  /** @param self name of the node, for those who wait for a lock that it has */
  public Prefixes(Loop loop, String self) {
    this.loop = loop;
    this.locked = new LockedJobs(loop, self);
  }

  /**
   * The prefix directory with this path, which need not exist. Any thread.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} if the path is not absolute
   */
  public OpenPrefix open(String path) {
    return new OpenPrefix(new PrefixPaths(loop.files().path(path)), locked.user());
  }

  /** For work that takes the lock of a prefix directory. */
  public LockedJobs locked() {
    return locked;
  }
}
