package io.vertxscr.protocol;

import java.util.List;
import java.util.Optional;

/** The answer to a collective call, which may tell rank 0 more than the others. */
public interface CallReply {
  /** Messages that rank 0 prints on standard error, in sentences; else missing. */
  Optional<List<String>> remarks();

  /** Returns the reply with these remarks. */
  CallReply with(List<String> remarks);
}
