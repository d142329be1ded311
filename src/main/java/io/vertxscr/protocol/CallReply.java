package io.vertxscr.protocol;

import java.util.List;
import java.util.Optional;

/** The answer to a collective call, which may tell rank 0 more than the others. */
public interface CallReply {
  /** What rank 0 says on standard error, in sentences; else missing. */
  Optional<List<String>> remarks();

  /** The same with these remarks. */
  CallReply with(List<String> remarks);
}
