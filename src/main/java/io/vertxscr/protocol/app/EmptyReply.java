package io.vertxscr.protocol.app;

import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;

/** It is done, and there is nothing to say about it ({@link Verb#FINALIZE}, {@link Verb#ALIVE}). */
public record EmptyReply(Optional<List<String>> remarks) implements CallReply {
  public EmptyReply {
    remarks = remarks.map(List::copyOf);
  }

  /** Without remarks. */
  public EmptyReply() {
    this(Optional.empty());
  }

  @Override
  public EmptyReply with(List<String> told) {
    return new EmptyReply(Optional.of(told));
  }
}
