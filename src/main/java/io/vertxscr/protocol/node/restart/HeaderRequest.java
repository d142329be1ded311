package io.vertxscr.protocol.node.restart;

/** The header of the redundancy file that this rank wrote. */
public record HeaderRequest(int datasetId, int rank) {}
