package io.vertxscr.protocol.node.container;

/** Bytes of the files of the ranks together. */
public record MeasureReply(int datasetId, int attempt, long bytes) {}
