package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;

/** Progress of the flush. */
public record FlushAmount(long doneBytes, long totalBytes, long bytesPerSecond) {
  public FlushAmount {
    FieldChecks.bytes("doneBytes", doneBytes);
    FieldChecks.bytes("totalBytes", totalBytes);
    FieldChecks.version("bytesPerSecond", bytesPerSecond);
  }
}
