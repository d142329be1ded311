package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.RunInfo;
import java.util.List;
import java.util.Optional;

/**
 * Result of CURRENT and of the restart calls: what can be read, where there is something.
 *
 * @param remarks what rank 0 is told, in sentences; empty for nothing
 */
public record RestartOffer(Optional<RunInfo.Restartable> restart, Optional<List<String>> remarks) {
  public RestartOffer {
    remarks.ifPresent(told -> FieldChecks.sentences("remarks", told));
  }

  /** With nothing to tell. */
  public RestartOffer(Optional<RunInfo.Restartable> restart) {
    this(restart, Optional.empty());
  }
}
