package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/**
 * From the leader: the run is over on all nodes.
 *
 * @param run the run, 0 if it was still forming
 * @param forming the number that it had while it formed: ranks that have arrived since are not meant
 */
public record RunEnd(long run, long forming, int fault, String message) {
  public RunEnd {
    FieldChecks.count("run", run);
    FieldChecks.version("forming", forming);
    FieldChecks.fault(fault);
    FieldChecks.sentence("message", message);
  }
}
