package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertxscr.protocol.node.NodeVerb;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Request-reply messages between nodes. An answer that does not come is asked for again until it comes or the node has
 * left the cluster: all verbs are idempotent. Call on the node's loop; futures complete there.
 */
public interface NodeBus {
  /**
   * Asks a node.
   *
   * @return fails with the {@link io.vertxscr.model.ScrException} of the other side, or NODE_LOST when it has left, or
   *     when it is a member, but its loop, or the storage that the answer needs, has been silent for too long
   */
  <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer);

  /**
   * Sends a command of the leader. The message carries the epoch; a node that has seen a newer one refuses with
   * NOT_LEADER (fencing).
   */
  <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer);

  /**
   * Calls the listener with a node that follows another leadership than this node's. It has refused a command, which is
   * sent again in a while.
   */
  default void onStranger(Consumer<String> listener) {}

  /** Why a node that is a member is taken for hung. Known only of nodes that somebody waits for, or has waited for. */
  default Optional<String> silence(String node) {
    return Optional.empty();
  }

  /** Calls the listener when a silent node has answered again. */
  default void onBack(Consumer<String> listener) {}

  /** Asks the current leader, with failover to the next one. */
  <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer);

  /**
   * Fences earlier leaders: their open requests are sent again to this leader. A new leader's picture of the run is
   * whole only if nobody goes on behind its back.
   */
  void onlyLeader(String leader);
}
