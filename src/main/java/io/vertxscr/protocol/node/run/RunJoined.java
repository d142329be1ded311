package io.vertxscr.protocol.node.run;

import java.util.List;

/**
 * Ranks that may not join, and why; the others have joined.
 *
 * @param forming number of the run that they have joined while it forms; ascending, unlike any other's
 */
public record RunJoined(String leader, long forming, List<JoinRefusal> refusals) {}
