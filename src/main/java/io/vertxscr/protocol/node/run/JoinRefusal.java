package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/** Why one rank may not join. */
public record JoinRefusal(int rank, int fault, String message) {
  public JoinRefusal {
    FieldChecks.rank(rank);
    FieldChecks.fault(fault);
    FieldChecks.sentence("message", message);
  }
}
