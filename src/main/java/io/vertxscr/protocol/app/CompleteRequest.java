package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * Completes a restart ({@link Verb#COMPLETE_RESTART}). Repeating it with the same number gives the same answer.
 *
 * @param call counts up by one with every numbered call of the rank, from 1
 * @param valid whether the rank read all of its files without error; they must be closed
 */
public record CompleteRequest(long run, int rank, long call, boolean valid) {
  public CompleteRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
  }
}
