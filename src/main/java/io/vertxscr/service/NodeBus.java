package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertxscr.protocol.node.NodeVerb;

/**
 * How nodes ask each other. An answer that does not come is asked for again until it comes or the node has left the
 * cluster: all verbs are idempotent. Call on the node's loop; futures complete there.
 */
public interface NodeBus {
  /**
   * Asks a node.
   *
   * @return fails with the {@link io.vertxscr.model.ScrException} of the other side, or NODE_LOST when it has left
   */
  <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer);

  /**
   * The same as the leader: the message carries the epoch, and a node that has seen a newer one refuses with
   * NOT_LEADER.
   */
  <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer);

  /** Asks whoever is the leader, and the next one when that one leaves. */
  <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer);

  /**
   * Takes no answer of an earlier leader any more: what was asked of it is asked of the next. A new leader's picture of
   * the run is whole only if nobody goes on behind its back.
   */
  void onlyLeader(String leader);
}
