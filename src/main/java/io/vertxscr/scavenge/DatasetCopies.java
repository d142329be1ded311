package io.vertxscr.scavenge;

import java.util.List;
import java.util.Optional;

/**
 * Brings parts of a dataset from caches to its directory in the prefix directory. The caches are of this machine, or of
 * hosts.
 */
public interface DatasetCopies {
  /**
   * Copies all that can be reached.
   *
   * @return whether no daemon is left that could resume a flush of it
   * @throws io.vertxscr.model.ScrException where a copy fails that others do not replace
   */
  boolean bring(int id);

  /** Returns the cached files of a dataset that could not be read when it was brought, in sentences. */
  default List<String> unread(int id) {
    return List.of();
  }

  /** Returns a sentence if these caches are known to hold the dataset for other prefix directories only. */
  default Optional<String> otherPrefix(int id) {
    return Optional.empty();
  }
}
