package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;

/** A part of the map is durable. All are sums over its ranks. @param storedBytes of files that are compressed */
public record MapPartWritten(long files, long bytes, long storedBytes) {
  public MapPartWritten {
    FieldChecks.count("files", files);
    FieldChecks.bytes("bytes", bytes);
    FieldChecks.bytes("storedBytes", storedBytes);
  }
}
