package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * What an init that is not answered waits for ({@link Verb#INIT_WAIT}). Asked beside it; changes nothing.
 *
 * @param waitedSeconds how long the caller has waited, for the sentence that answers it
 */
public record InitWaitRequest(long waitedSeconds) {
  public InitWaitRequest {
    FieldChecks.count("waitedSeconds", waitedSeconds);
  }
}
