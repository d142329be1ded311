package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * Where the bytes are that were asked for ({@link Verb#SHARD}). Good until complete-restart.
 *
 * @param file absolute path of a file on this node, which may have more than was asked for
 * @param offset of the first byte in that file
 * @param bytes that were asked for
 */
public record ShardReply(String file, long offset, long bytes) {
  public ShardReply {
    FieldChecks.place("file", file);
    FieldChecks.count("offset", offset);
    FieldChecks.count("bytes", bytes);
  }
}
