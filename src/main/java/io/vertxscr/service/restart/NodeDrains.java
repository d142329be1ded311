package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.DrainMark;
import io.vertxscr.service.Event;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.service.SerialQueue;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes that operators want to shut down (docs/flows/drain.md). The mark is kept by the node itself; what follows from
 * it is done by {@link CacheHealing}. On the node's loop.
 */
public final class NodeDrains {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDrains.class);

  private final NodeBus bus;
  private final Membership membership;
  private final CacheHealing healing;
  private final Observer observer;
  /** How often a node's drain was taken back; it may be amid the look at what would have to be moved. */
  private final Map<String, Integer> cancelled = new HashMap<>();
  private final SerialQueue<String> marks = new SerialQueue<>();
  private final SerialQueue<String> asks = new SerialQueue<>();

  /** Drains for the leader of a node. */
  public NodeDrains(NodeBus bus, Membership membership, CacheHealing healing, Observer observer) {
    this.bus = bus;
    this.membership = membership;
    this.healing = healing;
    this.observer = observer;
  }

  /**
   * Has the leader do it, behind what this daemon was asked before of the same node. A message that was lost is sent
   * again, and would else drain a node that has been taken back since.
   *
   * @return fails with BAD_REQUEST, WRONG_STATE, TOO_MANY_LOST, NO_SPACE
   */
  public Future<DrainReply> ask(DrainRequest request) {
    return asks.run(request.node(), () -> bus.askLeader(NodeVerb.DRAIN, request, DrainReply.class));
  }

  /** Does it, on the leader. The moves have not begun then. */
  public Future<DrainReply> act(DrainRequest request) {
    String node = request.node();
    if (membership.find(node).isEmpty()) {
      throw new ScrException(Fault.BAD_REQUEST, "node " + node + " is not in the cluster; its nodes are "
          + String.join(", ", membership.nodes().stream().limit(20).map(NodeInfo::name).toList()));
    }
    Future<Void> done = request.begin().orElse(false) ? begin(request)
        : request.cancel().orElse(false) ? cancel(node) : Future.succeededFuture();
    return done.map(_ -> healing.drain(node));
  }

  /** The node itself knows whether ranks live there, and cannot get any once it is marked. */
  private Future<Void> begin(DrainRequest request) {
    String node = request.node();
    if (healing.isMarked(node)) {
      if (healing.drain(node).is(DrainState.STOPPED)) {
        healing.marked(node);                             // there may be room by now
      }
      return Future.succeededFuture();
    }
    int before = cancelled.getOrDefault(node, 0);
    return healing.requireMovable(node).compose(_ -> marks.run(node, () -> {
      if (cancelled.getOrDefault(node, 0) != before) {
        throw new ScrException(Fault.WRONG_STATE, "the drain of node " + node + " was taken back before it began");
      }
      return mark(request);
    }));
  }

  private Future<Void> mark(DrainRequest request) {
    String node = request.node();
    return bus.command(node, NodeVerb.DRAIN_MARK, new DrainMark(true, request.afterRun().orElse(false)), Ack.class)
        .map(_ -> {
          LOG.info("node {} is drained", node);
          observer.notice(new Event.DrainStarted(node));
          healing.marked(node);
          return null;
        });
  }

  private Future<Void> cancel(String node) {
    cancelled.merge(node, 1, Integer::sum);
    return marks.run(node, () -> bus.command(
        node, NodeVerb.DRAIN_MARK, new DrainMark(false, false), Ack.class)).map(_ -> {
      if (healing.isMarked(node)) {
        LOG.info("node {} is not drained any more", node);
        observer.notice(new Event.DrainCancelled(node));
        healing.unmarked(node);
      }
      return null;
    });
  }
}
