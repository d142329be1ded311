package io.vertxscr.protocol.node.flush;

import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * State of one flush, for status output.
 *
 * @param state current activity or wait, in a few words
 * @param remainingMs until all is copied; missing where that is not known
 * @param cause why the last attempt failed, where one has
 */
public record FlushView(int datasetId, String name, String state, int attempt, FlushAmount amount,
    OptionalLong remainingMs, Optional<String> cause) {
  public FlushView {
    FieldChecks.count("datasetId", datasetId);
    FieldChecks.label("name", name);
    FieldChecks.sentence("state", state);
    FieldChecks.attempt(attempt);
    remainingMs.ifPresent(ms -> FieldChecks.version("remainingMs", ms));
    cause.ifPresent(text -> FieldChecks.sentence("cause", text));
  }
}
