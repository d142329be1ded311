package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * The rank cannot go on ({@link Verb#ABORT}), which ends the run for all. Idempotent.
 *
 * @param cause for people: one line, such as the type and text of an exception
 */
public record AbortRequest(long run, int rank, String cause) {
  public AbortRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.text("cause", cause);
    if (cause.chars().anyMatch(Character::isISOControl)) {
      throw FieldChecks.bad("cause", "has a control character");
    }
  }
}
