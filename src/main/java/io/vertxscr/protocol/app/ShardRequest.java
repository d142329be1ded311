package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Asks for a file of the checkpoint that is being read, or a range of it ({@link Verb#SHARD}). Local to the rank;
 * asking again gives the same answer.
 *
 * @param name the file: its path, or a base name that only one has
 * @param directory absolute working directory of the process: where relative names start
 * @param writer the rank that wrote it, where the caller knows: then no other node is asked for names
 * @param offset first byte; missing: 0
 * @param bytes length; missing: all behind the offset
 */
public record ShardRequest(long run, int rank, String name, String directory, OptionalInt writer, OptionalLong offset,
    OptionalLong bytes) {
  public ShardRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.text("name", name);
    FieldChecks.absolute("directory", directory);
    writer.ifPresent(of -> FieldChecks.rank("writer", of));
    offset.ifPresent(first -> FieldChecks.count("offset", first));
    bytes.ifPresent(length -> FieldChecks.count("bytes", length));
  }
}
