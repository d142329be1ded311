package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether a checkpoint should be written ({@link Verb#NEED_CHECKPOINT}). Calls of the same number have the same answer
 * on every rank.
 *
 * @param until the same is answered to all calls of the rank up to this one; missing where only the call itself is
 * @param remarks the rule of this run's answers, in sentences: to the first call of rank 0, whose client says
 *     them on standard error
 */
public record NeedCheckpointReply(boolean need, OptionalLong until, Optional<List<String>> remarks) {
  public NeedCheckpointReply {
    remarks = remarks.map(List::copyOf);
  }

  /** With nothing to say. */
  public NeedCheckpointReply(boolean need, OptionalLong until) {
    this(need, until, Optional.empty());
  }
}
