package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * A collective call without arguments ({@link Verb#HAVE_RESTART}, {@link Verb#START_RESTART}, {@link Verb#FINALIZE}).
 * Repeating it with the same number gives the same answer.
 *
 * @param call counts up by one with every numbered call of the rank, from 1
 */
public record CallRequest(long run, int rank, long call) {
  public CallRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
  }
}
