package io.vertxscr.protocol.app;

import io.vertxscr.model.Names;
import io.vertxscr.protocol.FieldChecks;

/**
 * How far somebody has read the events of a node.
 *
 * @param number of the last event; 0 for none
 */
public record EventCursor(String node, long number) {
  public EventCursor {
    Names.node(node);
    FieldChecks.count("number", number);
  }
}
