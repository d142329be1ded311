package io.vertxscr.service.log;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.node.run.EventsAfter;
import io.vertxscr.protocol.node.run.NodeEvents;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventJson;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last events of this node, for those who did not listen. Of the progress of a copy only the last word is kept.
 * Numbers ascend, also over the lives of a daemon: they are times in milliseconds where those allow it. On the loop.
 */
public final class EventHistory implements Observer {
  private final Loop loop;
  private final String node;
  /** Oldest first. The key is the number, or what the progress is of. */
  private final Map<Object, Told> kept = new LinkedHashMap<>();
  private long last;

  private record Told(long number, JsonObject event) {}

  private record Copied(Class<?> type, int dataset) {}

  /** Keeps the events of a node. */
  public EventHistory(Loop loop, String node) {
    this.loop = loop;
    this.node = node;
  }

  @Override
  public void notice(Event event) {
    if (event instanceof Event.CallFailed) {
      return;
    }
    long now = loop.clock().millis();
    last = Math.max(last + 1, now);
    Object key = event instanceof Event.FlushProgress || event instanceof Event.FetchProgress
        ? new Copied(event.getClass(), event.dataset()) : (Object) last;
    kept.remove(key);
    kept.put(key, new Told(last, EventJson.of(event, node, now)));
    if (kept.size() > Limits.MAX_EVENTS) {
      Iterator<Told> oldest = kept.values().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Returns the events that were asked for. */
  public NodeEvents after(EventsAfter asked) {
    List<String> found = new ArrayList<>();
    for (Told told : kept.values()) {
      if (told.number() > asked.number().orElse(0)) {
        found.add(told.event().encode());
      }
    }
    return new NodeEvents(last, found.subList(Math.max(0, found.size() - asked.most()), found.size()));
  }
}
