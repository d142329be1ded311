package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;

/**
 * Asks for events of all nodes.
 *
 * @param after what was read of each node: later ones are wanted, of nodes that are not named all; missing: the last
 *     ones
 * @param most that are wanted, the newest
 */
public record EventsRequest(Optional<List<EventCursor>> after, int most) {
  public EventsRequest {
    FieldChecks.range("most", most, 1, Limits.MAX_EVENTS);
  }
}
