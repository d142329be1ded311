package io.vertxscr.model;

import java.util.Objects;

/**
 * A node's cache directory in one store.
 *
 * @param base what the store is called by: the directory that all nodes know it under, absolute
 * @param path where this node keeps its datasets there, each as {@code scr.dataset.<id>}; absolute, at or below base
 */
public record CacheDirectory(String base, String path) {
  public CacheDirectory {
    Objects.requireNonNull(base);
    Objects.requireNonNull(path);
  }
}
