package io.vertxscr.service;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Names;
import io.vertxscr.protocol.Wire;
import java.util.Locale;

/** Events as JSON (docs/messages.md). */
public final class EventJson {
  private static final ClassValue<String> TYPES = new ClassValue<>() {
    @Override
    protected String computeValue(Class<?> event) {
      return event.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }
  };

  private EventJson() {}

  /** The fields of the event, and those that every event has. @param node that says so */
  public static JsonObject of(Event event, String node, long timeMs) {
    JsonObject json = Wire.write(event);
    json.getMap().replaceAll((_, value) -> value instanceof String text ? Names.printable(text) : value);
    return json
        .put("type", type(event))
        .put("node", node)
        .put("timeMs", timeMs)
        .put("run", event.run())
        .put("dataset", event.dataset())
        .put("cause", Names.printable(event.cause()));
  }

  /** {@code DatasetComplete} as {@code dataset-complete}. */
  public static String type(Event event) {
    return TYPES.get(event.getClass());
  }
}
