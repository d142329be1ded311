package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.app.OperatorRequest.OperatorVerb;
import io.vertxscr.service.Loop;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Scenario.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Has datasets of the caches flushed or dropped, as {@code scr flush} and {@code scr drop} do. */
final class OperatorOrders {
  private final VirtualCluster cluster;
  private final Consumer<String> said;
  /** What nobody has answered. */
  private final List<OpenOrder> open = new ArrayList<>();

  /** @param life of the daemon that was asked */
  private record OpenOrder(String node, Loop life, ScrClient client, Future<?> answer) {}

  OperatorOrders(VirtualCluster cluster, Consumer<String> said) {
    this.cluster = cluster;
    this.said = said;
  }

  /**
   * Gives an order to a daemon.
   *
   * @param ledger of the program whose dataset it is
   * @param everywhere asked when it is done: whether all nodes could hear of it
   */
  void give(Order order, String node, Ledger ledger, Attempt attempt, BooleanSupplier everywhere) {
    String what = order.what() + " of " + attempt + " (dataset " + attempt.id + ") ";
    said.accept("an operator wants " + what + "of " + node);
    boolean wasUnwanted = attempt.isUnwanted;
    attempt.isFlushedAgain |= order.what() == OperatorVerb.FLUSH;
    attempt.isDelisted &= order.what() != OperatorVerb.FLUSH;
    attempt.isUnwanted |= order.what() == OperatorVerb.DROP;
    attempt.mayBeOrdered |= order.what() == OperatorVerb.FLUSH;
    ScrClient client = cluster.client(node);
    Future<?> answer = Future.fromCompletionStage(
        client.operate(new OperatorRequest(order.what(), attempt.id)));
    open.add(new OpenOrder(node, cluster.loop(node), client, answer));
    answer.onComplete((_, failure) -> {
      if (failure == null) {
        attempt.isRemoved |= order.what() == OperatorVerb.DROP && everywhere.getAsBoolean();
        attempt.isOrdered |= order.what() == OperatorVerb.FLUSH && attempt.evicted.isEmpty();
        attempt.mayBeOrdered &= order.what() != OperatorVerb.FLUSH;
      } else if (Fault.of(failure) == Fault.WRONG_STATE) {
        attempt.isUnwanted = wasUnwanted || ledger.isWished(attempt);   // a run is on
      }
      said.accept(what + (failure == null ? "is done" : "fails: " + failure.getMessage()));
    });
  }

  /** Whether each was answered whose daemon still lives. */
  boolean areAnswered() {
    open.removeIf(order -> {
      boolean isOver = order.answer.isComplete() || !cluster.isAlive(order.node)
          || cluster.loop(order.node) != order.life;
      if (isOver) {
        order.client.close();
      }
      return isOver;
    });
    return open.isEmpty();
  }

  @Override
  public String toString() {
    return open.stream().map(order -> order.node).toList().toString();
  }
}
