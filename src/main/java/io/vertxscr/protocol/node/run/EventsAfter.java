package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.OptionalLong;

/**
 * Asks a node for its events.
 *
 * @param number of the last one that is known; empty for the last ones
 * @param most that are wanted, the newest
 */
public record EventsAfter(OptionalLong number, int most) {
  public EventsAfter {
    number.ifPresent(last -> FieldChecks.count("number", last));
    FieldChecks.range("most", most, 1, Limits.MAX_EVENTS);
  }
}
