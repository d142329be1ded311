package io.vertxscr.protocol.node.flush;

/** Progress of the flush. */
public record FlushAmount(long doneBytes, long totalBytes, long bytesPerSecond) {}
