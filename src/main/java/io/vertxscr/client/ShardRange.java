package io.vertxscr.client;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A file, or a range of it, of a checkpoint from shards: {@link Phase#shard}.
 *
 * @param name its path, or a base name that only one file has
 * @param writer the rank that wrote it, where that is known: then fewer nodes are asked
 * @param offset first byte
 * @param bytes length; empty: all behind the offset
 */
public record ShardRange(String name, OptionalInt writer, long offset, OptionalLong bytes) {
  /** All of a file. */
  public ShardRange(String name) {
    this(name, OptionalInt.empty(), 0, OptionalLong.empty());
  }

  /** A range of a file. */
  public ShardRange(String name, long offset, long bytes) {
    this(name, OptionalInt.empty(), offset, OptionalLong.of(bytes));
  }

  /** The same, of a file that this rank wrote. */
  public ShardRange of(int rank) {
    return new ShardRange(name, OptionalInt.of(rank), offset, bytes);
  }
}
