package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Ranks that may not join, and why; the others have joined.
 *
 * @param forming number of the run that they have joined while it forms; ascending, unlike any other's
 */
public record RunJoined(String leader, long forming, List<JoinRefusal> refusals) {
  public RunJoined {
    FieldChecks.node("leader", leader);
    FieldChecks.version("forming", forming);
    FieldChecks.size("refusals", refusals, Limits.MAX_RANKS);
  }
}
