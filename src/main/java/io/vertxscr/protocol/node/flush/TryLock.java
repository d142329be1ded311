package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;

/** From the leader, which holds a lock of this prefix directory: is it refused to you? */
public record TryLock(String prefix) {
  public TryLock {
    FieldChecks.place("prefix", prefix);
  }
}
