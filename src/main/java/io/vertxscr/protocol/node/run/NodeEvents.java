package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Events of a node.
 *
 * @param last number of its newest event; 0 for none
 * @param events as JSON text, oldest first
 */
public record NodeEvents(long last, List<String> events) {
  public NodeEvents {
    FieldChecks.count("last", last);
    FieldChecks.size("events", events, Limits.MAX_EVENTS);
    FieldChecks.sentences("events", events);
    events = List.copyOf(events);
  }
}
