package io.vertxscr.protocol.app;

import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;

/**
 * It is done ({@link Verb#CURRENT}, {@link Verb#DROP}, {@link Verb#DELETE}, {@link Verb#FINALIZE}, {@link Verb#ABORT},
 * {@link Verb#ALIVE}). To {@link Verb#INIT_WAIT}, the remarks are the answer.
 *
 * @param remarks messages for the user, as in {@link InitReply}
 */
public record DoneReply(Optional<List<String>> remarks) implements CallReply {
  public DoneReply {
    remarks = remarks.map(List::copyOf);
  }

  /** With nothing to say. */
  public DoneReply() {
    this(Optional.empty());
  }

  @Override
  public DoneReply with(List<String> told) {
    return new DoneReply(Optional.of(told));
  }
}
