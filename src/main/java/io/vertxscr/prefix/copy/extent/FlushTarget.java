package io.vertxscr.prefix.copy.extent;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.storage.LearnedChecksums;
import java.util.Collection;
import java.util.List;

/**
 * Destination of a node's files of one dataset in the prefix directory. Every step can be repeated; an object serves
 * one attempt, and is safe for many threads.
 */
public interface FlushTarget {
  /** The node's work, cut so that a few threads have something to do; touches nothing. */
  List<Extent> extents(List<RankFiles> ranks);

  /** Checksums of unread files that are copied. What an earlier attempt has left counts as copied by this one. */
  LearnedChecksums learned();

  /**
   * Renames the copied files to their final names, durably. The caller knows that all extents of the dataset, on all
   * nodes, are there. What had the names before stays beside them until {@link #removeKept}.
   *
   * @return whether any of the names was in use before
   * @throws io.vertxscr.model.ScrException NO_SUCH_FILE if something was neither copied nor published by an earlier
   *     call; IO
   */
  boolean publish(Collection<FileMeta> files);

  /** An attempt has failed here: removes files that the next one would not use. */
  void discard(Collection<FileMeta> files);

  /** The dataset is complete: removes what these files' places held before. */
  void removeKept(Collection<FileMeta> files);
}
