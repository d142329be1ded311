package io.vertxscr.protocol.node.run;

import java.util.List;

/**
 * Events of a node.
 *
 * @param last number of its newest event; 0 for none
 * @param events as JSON text, oldest first
 */
public record NodeEvents(long last, List<String> events) {
  public NodeEvents {
    events = List.copyOf(events);
  }
}
