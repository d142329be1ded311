package io.vertxscr.service;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The last entries of what would else grow for the life of a daemon. As many as somebody may ask for; on one loop.
 */
public final class Recent<K, V> {
  private final int most;
  private final SequencedMap<K, V> entries = new LinkedHashMap<>();

  /** Remembers none yet. @param most entries are remembered, those that were put last */
  public Recent(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("no room for an entry: " + most);
    }
    this.most = most;
  }

  /** The last one from now on, in place of an earlier one of its key. */
  public void put(K key, V value) {
    entries.putLast(key, value);
    if (entries.size() > most) {
      entries.pollFirstEntry();
    }
  }

  public Optional<V> get(K key) {
    return Optional.ofNullable(entries.get(key));
  }

  public void remove(K key) {
    entries.remove(key);
  }

  /** Remembers none any more. */
  public void clear() {
    entries.clear();
  }
}
