package io.vertxscr.protocol.node.run;

import java.util.OptionalLong;

/**
 * Asks a node for its events.
 *
 * @param number of the last one that is known; empty for the last ones
 * @param most that are wanted, the newest
 */
public record EventsAfter(OptionalLong number, int most) {}
