package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/**
 * Reports a rank that ended without finalize, or may not join, so that no rank waits for it. So it does a node of the
 * run that has left, also when the run is over.
 *
 * @param run the run, 0 if it was still forming
 * @param forming the number that it had while it formed, 0 if its node does not know it yet
 * @param fault RANK_LOST, NODE_LOST where a node of the run has left, or why it may not join
 * @param message names the rank and its node
 */
public record LostRank(long run, long forming, int fault, String message) {
  public LostRank {
    FieldChecks.count("run", run);
    FieldChecks.version("forming", forming);
    FieldChecks.fault(fault);
    FieldChecks.sentence("message", message);
  }
}
