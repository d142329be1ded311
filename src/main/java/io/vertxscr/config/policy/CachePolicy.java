package io.vertxscr.config.policy;

import io.vertxscr.model.Limits;

/**
 * Retention of cached datasets, and their checks. How many datasets a cache keeps is a matter of its store.
 *
 * @param purge whether caches are emptied when the run begins (SCR_CACHE_PURGE)
 * @param crcOnDelete whether files are checked before they are deleted from a cache (SCR_CRC_ON_DELETE)
 * @param evictFirst whether a store has its count of datasets at most, also while one is written: the old one goes
 *     before, and not when the new one is protected (SCR_CACHE_EVICT)
 * @param bypassWhenFull whether a dataset for which there is no room goes to the prefix directory at once instead of
 *     being refused (SCR_CACHE_FULL)
 * @param prefixDatasets checkpoints that are kept in the prefix directory, 0 for all (SCR_PREFIX_SIZE)
 * @param prefixPurge whether datasets are deleted from the prefix directory when the run begins (SCR_PREFIX_PURGE)
 * @param smallBytes of all files of a node that go to the nodes of its redundancy sets in messages (SCR_SMALL_BYTES)
 */
public record CachePolicy(
    boolean purge, boolean crcOnDelete, boolean evictFirst, boolean bypassWhenFull, int prefixDatasets,
    boolean prefixPurge, int smallBytes) {
  public static final CachePolicy STANDARD = new CachePolicy(false, false, false, false, 0, false, 64 << 10);

  public CachePolicy {
    Checks.range("datasets in the prefix directory", prefixDatasets, 0, Integer.MAX_VALUE);
    Checks.range("bytes of small files", smallBytes, 0, Limits.MAX_SMALL_BYTES);
  }

  /** Returns the policy with only these purges at run begin. */
  public CachePolicy emptying(boolean caches, boolean prefix) {
    return new CachePolicy(caches, crcOnDelete, evictFirst, bypassWhenFull, prefixDatasets, prefix, smallBytes);
  }
}
