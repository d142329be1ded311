package io.vertxscr.cluster;

import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventJson;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes events on {@link Addresses#EVENTS}, for timelines and dashboards. Failed calls of single ranks are not
 * among them: they are counted only.
 *
 * <p>Those of a few milliseconds go out together, in their order: publishing to an address that nobody listens to asks
 * the cluster's registry over the network each time, an eighth of the CPU of a phase.
 */
public final class EventPublisher implements Observer {
  private static final long GATHER_MS = 25;

  private final Loop loop;
  private final EventBus eventBus;
  private final String node;
  private final List<JsonObject> waiting = new ArrayList<>();
  private boolean closed;

  /** Publishes for a node. */
  public EventPublisher(Loop loop, EventBus eventBus, String node) {
    this.loop = loop;
    this.eventBus = eventBus;
    this.node = node;
  }

  @Override
  public void notice(Event event) {
    if (closed || event instanceof Event.CallFailed) {
      return;
    }
    waiting.add(json(event, loop.clock().millis()));
    if (waiting.size() == 1) {
      loop.after(GATHER_MS, this::publish);
    }
  }

  /** Publishes at once what waits; for a node that stops. On the node's loop. */
  public void publish() {
    List<JsonObject> events = List.copyOf(waiting);
    waiting.clear();
    events.forEach(event -> eventBus.publish(Addresses.EVENTS, event));
  }

  /** Discards what waits and all that follows: the node is gone. On the node's loop. */
  public void close() {
    closed = true;
    waiting.clear();
  }

  /** The fields of the event, and those that every event has. */
  JsonObject json(Event event, long timeMs) {
    return EventJson.of(event, node, timeMs);
  }
}
