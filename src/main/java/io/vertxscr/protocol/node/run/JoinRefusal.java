package io.vertxscr.protocol.node.run;

/** Why one rank may not join. */
public record JoinRefusal(int rank, int fault, String message) {}
