package io.vertxscr.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.ops.Dashboard;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.dashboard.DashboardFeed.Watcher;
import io.vertxscr.service.dashboard.DashboardFeed;
import io.vertxscr.verticle.NodeServices;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The dashboard of a node. Brings its callers to the loop, and listens to events while somebody looks. */
final class NodeDashboard implements Dashboard {
  private final Vertx vertx;
  private final Loop loop;
  private final NodeServices services;
  private final DashboardFeed feed;
  private final Function<JsonObject, JsonArray> attention;
  private final Set<Watcher> watchers = new HashSet<>();
  private Optional<MessageConsumer<JsonObject>> listening = Optional.empty();

  NodeDashboard(Vertx vertx, Loop loop, NodeServices services, Membership membership,
      Function<JsonObject, JsonArray> attention) {
    this.vertx = vertx;
    this.loop = loop;
    this.services = services;
    this.attention = attention;
    this.feed = new DashboardFeed(loop, this::draw, services.events(),
        () -> membership.nodes().stream().map(NodeInfo::name).toList());
  }

  private Future<JsonObject> draw() {
    return services.picture().now().map(now -> now.put("attention", attention.apply(now.getJsonObject("status"))));
  }

  @Override
  public Future<JsonObject> picture() {
    return loop.call(this::draw);
  }

  @Override
  public Future<JsonObject> loss(List<String> nodes) {
    return loop.call(() -> services.picture().lossOf(nodes));
  }

  /** The actions of docs/flows/dashboard.md. */
  @Override
  public Future<String> act(JsonObject request) {
    return loop.call(() -> switch (String.valueOf(request.getValue("action"))) {
      case "halt" -> services.operators().halt(isSet(request, "immediate")).map("done");
      case "flush" -> operate(OperatorVerb.FLUSH, request).map("begun");
      case "drop" -> operate(OperatorVerb.DROP, request).map("done");
      case "drain" -> drain(request);
      default -> throw new ScrException(Fault.BAD_REQUEST, "expected the action halt, flush, drop or drain");
    });
  }

  private static boolean isSet(JsonObject request, String flag) {
    return Boolean.TRUE.equals(request.getValue(flag));
  }

  private Future<Void> operate(OperatorVerb what, JsonObject request) {
    if (!(request.getValue("dataset") instanceof Integer dataset)) {
      throw new ScrException(Fault.BAD_REQUEST, "expected the number of a dataset");
    }
    return services.operators().ask(new OperatorRequest(what, dataset));
  }

  private Future<String> drain(JsonObject request) {
    if (!(request.getValue("node") instanceof String node)) {
      throw new ScrException(Fault.BAD_REQUEST, "expected the name of a node");
    }
    return services.drains().ask(isSet(request, "cancel") ? DrainRequest.cancel(node)
        : DrainRequest.begin(node, isSet(request, "afterRun"))).map(NodeDashboard::said);
  }

  private static String said(DrainReply drain) {
    return drain.is(DrainState.NONE) ? "done"
        : drain.state().toLowerCase(Locale.ROOT) + (drain.cause().isEmpty() ? "" : ": " + drain.cause());
  }

  @Override
  public void watch(Watcher watcher) {
    loop.later(() -> {
      watchers.add(watcher);
      if (listening.isEmpty()) {
        listening = Optional.of(vertx.eventBus().consumer(Addresses.EVENTS, event ->
            loop.later(() -> feed.happened(event.body().getString("node", ""), event.body().getString("type", "")))));
      }
      feed.watch(watcher);
    });
  }

  @Override
  public void leave(Watcher watcher) {
    loop.later(() -> {
      feed.leave(watcher);
      if (watchers.remove(watcher) && watchers.isEmpty()) {
        listening.ifPresent(MessageConsumer::unregister);
        listening = Optional.empty();
      }
    });
  }
}
