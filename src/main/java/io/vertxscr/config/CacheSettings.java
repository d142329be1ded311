package io.vertxscr.config;

import java.nio.file.Path;

/**
 * Where a node keeps its state and its datasets.
 *
 * @param controlBase absolute; the control directory is below it
 * @param cacheBase absolute; the cache directory is below it
 * @param datasets how many the cache holds before the oldest is evicted, at least 1
 */
public record CacheSettings(Path controlBase, Path cacheBase, int datasets) {
  public CacheSettings {
    Checks.absolute("control base", controlBase);
    Checks.absolute("cache base", cacheBase);
    Checks.range("datasets in cache", datasets, 1, 1024);
  }
}
