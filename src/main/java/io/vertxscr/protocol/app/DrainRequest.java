package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/**
 * Asks about a node that is to be shut down; with one of the flags it says what is wanted. Idempotent.
 *
 * @param begin whether it is to be drained
 * @param cancel whether it is not, any more
 * @param afterRun with {@code begin}: whether a run that has ranks there is waited for
 */
public record DrainRequest(
    String node, Optional<Boolean> begin, Optional<Boolean> cancel, Optional<Boolean> afterRun) {
  public DrainRequest {
    FieldChecks.node("node", node);
    if (begin.orElse(false) && cancel.orElse(false)) {
      throw FieldChecks.bad("cancel", "contradicts begin");
    }
    if (afterRun.orElse(false) && !begin.orElse(false)) {
      throw FieldChecks.bad("afterRun", "belongs to begin");
    }
  }

  /** Only asks. */
  public static DrainRequest look(String node) {
    return new DrainRequest(node, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Wants the node drained. @param afterRun whether a run that has ranks there is waited for */
  public static DrainRequest begin(String node, boolean afterRun) {
    return new DrainRequest(node, Optional.of(true), Optional.empty(), Optional.of(afterRun));
  }

  /** Takes that back. */
  public static DrainRequest cancel(String node) {
    return new DrainRequest(node, Optional.empty(), Optional.of(true), Optional.empty());
  }
}
