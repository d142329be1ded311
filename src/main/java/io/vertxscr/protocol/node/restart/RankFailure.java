package io.vertxscr.protocol.node.restart;

/** One rank that could not be brought. */
public record RankFailure(int rank, int fault, String message) {}
