package io.vertxscr.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.ops.Dashboard;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.node.run.OperatorRequest.OperatorVerb;
import io.vertxscr.protocol.node.run.OperatorRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.dashboard.ClusterPicture;
import io.vertxscr.service.dashboard.DashboardFeed.Watcher;
import io.vertxscr.service.dashboard.DashboardFeed;
import io.vertxscr.service.dashboard.OperatorActions;
import io.vertxscr.verticle.NodeServices;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The dashboard of a node. Brings its callers to the loop, and listens to events while somebody looks. */
final class NodeDashboard implements Dashboard {
  private static final Map<String, OperatorVerb> DATASET_ACTIONS =
      Map.of("flush", OperatorVerb.FLUSH, "drop", OperatorVerb.DROP);

  private final Vertx vertx;
  private final Loop loop;
  private final ClusterPicture picture;
  private final OperatorActions operators;
  private final DashboardFeed feed;
  private final Function<JsonObject, JsonArray> attention;
  private final Set<Watcher> watchers = new HashSet<>();
  private Optional<MessageConsumer<JsonObject>> listening = Optional.empty();

  NodeDashboard(Vertx vertx, Loop loop, NodeServices services, Membership membership,
      Function<JsonObject, JsonArray> attention) {
    this.vertx = vertx;
    this.loop = loop;
    this.picture = services.picture();
    this.operators = services.operators();
    this.attention = attention;
    this.feed = new DashboardFeed(loop, this::draw, services.events(),
        () -> membership.nodes().stream().map(NodeInfo::name).toList());
  }

  private Future<JsonObject> draw() {
    return picture.now().map(now -> now.put("attention", attention.apply(now.getJsonObject("status"))));
  }

  @Override
  public Future<JsonObject> picture() {
    return loop.call(this::draw);
  }

  @Override
  public Future<JsonObject> loss(List<String> nodes) {
    return loop.call(() -> picture.lossOf(nodes));
  }

  /** {@code action}: {@code halt} (with {@code immediate}), {@code flush}, {@code drop} (of a {@code dataset}). */
  @Override
  public Future<Void> act(JsonObject request) {
    return loop.call(() -> {
      String action = String.valueOf(request.getValue("action"));
      if (action.equals("halt")) {
        return operators.halt(Boolean.TRUE.equals(request.getValue("immediate")));
      }
      if (DATASET_ACTIONS.containsKey(action) && request.getValue("dataset") instanceof Integer dataset) {
        return operators.ask(new OperatorRequest(DATASET_ACTIONS.get(action), dataset));
      }
      return Future.failedFuture(new ScrException(Fault.BAD_REQUEST,
          "expected the action halt, or flush or drop with the number of a dataset"));
    });
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
