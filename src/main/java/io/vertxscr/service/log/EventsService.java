package io.vertxscr.service.log;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.EventsAfter;
import io.vertxscr.protocol.node.run.NodeEvents;
import io.vertxscr.service.BoundedWait;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Tells the events of all nodes to programs that are no members of the cluster. Whoever asks says what it has read, so
 * that it can go on at any daemon; a node that does not answer in time is asked the next time. On the node's loop.
 */
public final class EventsService {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final EventHistory own;

  /** Serves a node. */
  public EventsService(Loop loop, NodeBus bus, Membership membership, EventHistory own) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.own = own;
  }

  /** Returns those of this node. */
  public Future<NodeEvents> own(EventsAfter asked) {
    return Future.succeededFuture(own.after(asked));
  }

  /** Returns those of all nodes, by their times, and how far they go. */
  public Future<JsonObject> all(EventsRequest request) {
    return of(membership.nodes().stream().map(NodeInfo::name).toList(), request);
  }

  /** Returns those of these nodes. */
  public Future<JsonObject> of(Collection<String> nodes, EventsRequest request) {
    Map<String, Long> read = new HashMap<>();
    request.after().orElse(List.of()).forEach(cursor -> read.put(cursor.node(), cursor.number()));
    Map<String, Future<NodeEvents>> asked = new LinkedHashMap<>();
    for (String node : nodes) {
      long known = read.getOrDefault(node, 0L);
      asked.put(node, BoundedWait.of(loop, PATIENCE, bus.ask(node, NodeVerb.EVENTS,
          new EventsAfter(known > 0 ? OptionalLong.of(known) : OptionalLong.empty(), request.most()),
          NodeEvents.class), new NodeEvents(known, List.of())));
    }
    return Future.all(List.copyOf(asked.values())).map(_ -> {
      List<JsonObject> events = new ArrayList<>();
      JsonArray after = new JsonArray();
      asked.forEach((node, answer) -> {
        answer.result().events().forEach(event -> events.add(new JsonObject(event)));
        after.add(new JsonObject().put("node", node).put("number", answer.result().last()));
      });
      events.sort(Comparator.comparingLong(event -> event.getLong("timeMs")));
      return new JsonObject().put("after", after).put("events",
          new JsonArray(events.subList(Math.max(0, events.size() - request.most()), events.size())));
    });
  }
}
