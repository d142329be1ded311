package io.vertxscr.protocol.node.scrub;

/** Asks a node for its scrub. @param now whether it reads everything from now on, as fast as it may */
public record ScrubAsk(boolean now) {}
