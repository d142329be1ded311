package io.vertxscr.protocol.node.flush;

/** Published. @param taken whether any of the names was another file's before */
public record DraftsRenamed(int datasetId, int attempt, boolean taken) {}
