package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The prefix directories of a node's runs, by their paths; one object per node.
 *
 * <p>Paths of them come in messages of other nodes, too, and are not believed. Open to a node are the directories that
 * applications here have named, those of the datasets in its cache and, while it leads, those of the runs that nodes
 * have brought to it. Any other path must lead to what already is a prefix directory: {@link #named}.
 */
public final class Prefixes {
  private final Loop loop;
  private final LockedJobs locked;
  /** The last that were used, oldest first. */
  private final Map<Path, Boolean> known = new LinkedHashMap<>(16, 0.75f, true);

  /** @param self name of the node, for those who wait for a lock that it has */
  public Prefixes(Loop loop, String self) {
    this.loop = loop;
    this.locked = new LockedJobs(loop, self);
  }

  /**
   * Opens a directory to this node from now on: an application has named it, or the node's own storage.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} if the path is not absolute
   */
  public void admit(String path) {
    PrefixPaths paths = paths(path);
    synchronized (known) {
      known.put(paths.prefix(), true);
      if (known.size() > Limits.MAX_PREFIXES) {
        known.remove(known.keySet().iterator().next());
      }
    }
  }

  /**
   * The prefix directory with this path, which need not exist. Any thread.
   *
   * @throws ScrException {@link Fault#BAD_REQUEST} if the path is not absolute; {@link Fault#OUTSIDE_PREFIX} if it is
   *     not open to this node
   */
  public OpenPrefix open(String path) {
    PrefixPaths paths = paths(path);
    if (!isKnown(paths)) {
      throw outside(path);
    }
    return new OpenPrefix(paths, locked.user());
  }

  /** The prefix directory of a dataset in this node's cache: open for as long as that is here. */
  public OpenPrefix of(DatasetRecord record) {
    admit(record.origin().prefix());                      // it may be forgotten, for others that were used since
    return open(record.origin().prefix());
  }

  /**
   * The prefix directory with this path, which only another node has named. It counts as one if it has a directory
   * {@code .scr}, which this node does not make for that. Fails with OUTSIDE_PREFIX, IO. On the node's loop.
   */
  public Future<OpenPrefix> named(String path) {
    PrefixPaths paths = paths(path);
    if (isKnown(paths)) {
      return Future.succeededFuture(open(path));
    }
    return loop.prefix().run("look whether " + path + " is a prefix directory", () ->
        Files.isDirectory(paths.scr(), LinkOption.NOFOLLOW_LINKS)).map(is -> {
          if (!is) {
            throw outside(path);
          }
          admit(path);
          return open(path);
        });
  }

  private PrefixPaths paths(String path) {
    try {
      return new PrefixPaths(loop.files().path(path));
    } catch (InvalidPathException e) {
      throw new ScrException(Fault.BAD_REQUEST, "prefix directory '" + path + "': " + e.getReason(), e);
    }
  }

  private boolean isKnown(PrefixPaths paths) {
    synchronized (known) {
      return known.get(paths.prefix()) != null;
    }
  }

  private static ScrException outside(String path) {
    return new ScrException(Fault.OUTSIDE_PREFIX, "'" + path + "' is not the prefix directory of a run or dataset of"
        + " this node; it is not touched");
  }

  /** For work that takes the lock of a prefix directory. */
  public LockedJobs locked() {
    return locked;
  }
}
