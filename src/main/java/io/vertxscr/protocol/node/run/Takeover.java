package io.vertxscr.protocol.node.run;

/** From a node that has become the leader. */
public record Takeover(String leader, long epoch) {}
