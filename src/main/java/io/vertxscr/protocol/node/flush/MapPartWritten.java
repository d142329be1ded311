package io.vertxscr.protocol.node.flush;

/** A part of the map is durable. All are sums over its ranks. @param storedBytes of files that are compressed */
public record MapPartWritten(long files, long bytes, long storedBytes) {}
