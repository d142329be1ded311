package io.vertxscr.protocol.node.restart;

import io.vertxscr.protocol.FieldChecks;

/** One rank that could not be brought. */
public record RankFailure(int rank, int fault, String message) {
  public RankFailure {
    FieldChecks.rank(rank);
    FieldChecks.fault(fault);
    FieldChecks.sentence("message", message);
  }
}
