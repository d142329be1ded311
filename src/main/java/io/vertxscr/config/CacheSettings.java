package io.vertxscr.config;

import java.nio.file.Path;

/**
 * Where a node keeps its state and its datasets.
 *
 * @param controlBase absolute; the control directory is below it
 * @param cacheBase absolute; the cache directory is below it
 */
public record CacheSettings(Path controlBase, Path cacheBase) {
  public CacheSettings {
    Checks.absolute("control base", controlBase);
    Checks.absolute("cache base", cacheBase);
  }
}
