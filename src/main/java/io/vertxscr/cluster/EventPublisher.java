package io.vertxscr.cluster;

import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Wire;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.Locale;

/**
 * Publishes events on {@link Addresses#EVENTS}, for timelines and dashboards. Failed calls of single ranks are not
 * among them: they are counted only.
 */
public final class EventPublisher implements Observer {
  private final EventBus eventBus;
  private final String node;

  /** Publishes for a node. */
  public EventPublisher(EventBus eventBus, String node) {
    this.eventBus = eventBus;
    this.node = node;
  }

  @Override
  public void notice(Event event) {
    if (!(event instanceof Event.CallFailed)) {
      eventBus.publish(Addresses.EVENTS, json(event, System.currentTimeMillis()));
    }
  }

  /** The fields of the event, and those that every event has. */
  JsonObject json(Event event, long timeMs) {
    return Wire.write(event)
        .put("type", type(event))
        .put("node", node)
        .put("timeMs", timeMs)
        .put("run", event.run())
        .put("dataset", event.dataset())
        .put("cause", event.cause());
  }

  /** {@code DatasetComplete} as {@code dataset-complete}. */
  static String type(Event event) {
    return event.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }
}
