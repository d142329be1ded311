package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.FieldChecks;

/**
 * State of the healing of one dataset, for status output.
 *
 * @param active whether it is under way
 * @param percent of what was missing, made by now
 * @param cause why it is not under way; empty where it is
 */
public record HealView(DatasetKey dataset, boolean active, int percent, String cause) {
  public HealView {
    FieldChecks.range("percent", percent, 0, 100);
    FieldChecks.sentence("cause", cause);
  }
}
