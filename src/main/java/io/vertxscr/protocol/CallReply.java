package io.vertxscr.protocol;

import java.util.List;
import java.util.Optional;

/** The answer to a collective call, which may tell rank 0 more than the others. */
public interface CallReply {
  /** What was done since the last answer, in sentences, for the standard error of rank 0 (SCR_DEBUG); else missing. */
  Optional<List<String>> remarks();

  /** The same with these remarks. */
  CallReply with(List<String> remarks);
}
