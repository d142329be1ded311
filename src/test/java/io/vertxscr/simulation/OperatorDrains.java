package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Outcome.Invariant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Has nodes drained, as {@code scr drain} does. */
final class OperatorDrains {
  private final World world;
  private final VirtualTime time;
  private final VirtualCluster cluster;

  OperatorDrains(World world) {
    this.world = world;
    this.time = world.time;
    this.cluster = world.cluster;
  }

  boolean isDrained(String node) {
    Set<DrainState> goOn = EnumSet.of(DrainState.WAITING, DrainState.DRAINING);
    Optional<DrainState> state = asks(node, DrainRequest.begin(node, false));
    for (long endNs = time.nowNs() + World.BOUND.toNanos(); state.filter(goOn::contains).isPresent()
        && time.nowNs() < endNs; state = asks(node, DrainRequest.look(node))) {
      cluster.pass(Duration.ofSeconds(1));
    }
    return state.filter(DrainState.DRAINED::equals).isPresent();
  }

  /** Asks for a drain behind the run that is on; whether that was heard shows then. */
  void drainsLater(String node, boolean isOn) {
    if (isOn && cluster.isAlive(node)) {
      world.said(node + " is to be drained behind the run");
      ScrClient client = cluster.client(node);
      client.drain(DrainRequest.begin(node, true)).whenComplete((_, _) -> client.close());
    }
  }

  /** Of the node that it is about, which knows no more than its leader. @return empty: refused, or not heard */
  private Optional<DrainState> asks(String node, DrainRequest request) {
    if (!cluster.isAlive(node)) {
      return Optional.empty();
    }
    ScrClient client = cluster.client(node);
    try {
      Future<JsonObject> answer = Future.fromCompletionStage(client.drain(request)).map(JsonObject::new);
      if (!time.runUntil(() -> answer.isComplete() || !cluster.isAlive(node), World.BOUND)) {
        world.stop(Invariant.EVERY_CALL_IS_ANSWERED, request + " of " + node);
      }
      return answer.succeeded() ? Optional.of(DrainState.valueOf(answer.result().getString("state")))
          : Optional.empty();
    } finally {
      client.close();
    }
  }

  /** Takes a drain back. */
  void cancel(String node) {
    long endNs = world.time.nowNs() + World.BOUND.toNanos();
    while (world.cluster.isAlive(node)
        && asks(node, DrainRequest.cancel(node)).filter(DrainState.NONE::equals).isEmpty()) {
      if (world.time.nowNs() >= endNs) {
        world.stop(Invariant.EVERY_CALL_IS_ANSWERED, "the drain of " + node + " cannot be cancelled");
      }
      world.cluster.pass(Duration.ofSeconds(1));
    }
  }
}
