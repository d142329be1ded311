package io.vertxscr.protocol.node.flush;

/**
 * Copied.
 *
 * @param mapBytes of the entries of these ranks in a rank2file map
 */
public record FlushWorked(int datasetId, int attempt, long mapBytes) {}
