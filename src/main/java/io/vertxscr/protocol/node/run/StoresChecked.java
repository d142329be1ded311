package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/** Result of a store check: a sentence that names node and directory; empty if there is no problem. */
public record StoresChecked(Optional<String> problem) {
  public StoresChecked {
    problem.ifPresent(text -> FieldChecks.sentence("problem", text));
  }
}
