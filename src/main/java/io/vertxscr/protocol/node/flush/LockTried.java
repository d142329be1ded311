package io.vertxscr.protocol.node.flush;

/** Result of a {@link TryLock}. @param refused as it must be */
public record LockTried(boolean refused) {}
