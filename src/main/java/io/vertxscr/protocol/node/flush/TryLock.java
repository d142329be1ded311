package io.vertxscr.protocol.node.flush;

/** From the leader, which holds a lock of this prefix directory: is it refused to you? */
public record TryLock(String prefix) {}
