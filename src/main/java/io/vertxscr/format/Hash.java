package io.vertxscr.format;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A tree of string keys, in the order in which they were put. A <em>value</em> is a key without children:
 * {@code SIZE -> 524296 -> {}}. Mutable, not thread-safe; never leaves this package.
 */
public final class Hash {
  // Most nodes of a tree are values, without children, or have one value: a tree of a million files must not be one of
  // hash tables.
  private Map<String, Hash> children = Map.of();

  /** Sets the single value of a new {@code key}. */
  public Hash set(String key, Object value) {
    return put(key, new Hash().put(value.toString(), new Hash()));
  }

  /** Adds one more value to {@code key}. */
  public Hash add(String key, Object value) {
    at(key).put(value.toString(), new Hash());
    return this;
  }

  /** Puts {@code child} below {@code key}, which must be new: a duplicate name would lose one of two files. */
  public Hash put(String key, Hash child) {
    if (children.containsKey(key)) {
      throw new IllegalArgumentException("key '" + key + "' twice in one hash");
    }
    switch (children.size()) {
      case 0 -> children = Map.of(key, child);
      case 1 -> {
        Map<String, Hash> several = new LinkedHashMap<>();
        several.putAll(children);
        several.put(key, child);
        children = several;
      }
      default -> children.put(key, child);
    }
    return this;
  }

  /** Returns the hash below {@code key}; creates an empty one if it is missing. */
  public Hash at(String key) {
    Hash child = children.get(key);
    if (child == null) {
      child = new Hash();
      put(key, child);
    }
    return child;
  }

  /** Returns the children by key; not to be changed. */
  public Map<String, Hash> children() {
    return children;
  }

  /** Trees are equal if they have the same keys, in any order. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Hash hash && children.equals(hash.children);
  }

  @Override
  public int hashCode() {
    return children.hashCode();
  }

  @Override
  public String toString() {
    return children.toString();
  }
}
