package io.vertxscr.service;

import io.vertxscr.model.NodeInfo;
import java.util.List;
import java.util.Optional;

/** Membership of the cluster. Thread-safe; listeners are called on any thread, in the order of the changes. */
public interface Membership {
  /** This node. */
  NodeInfo self();

  /** All nodes, oldest first; applications that are members without being nodes are not listed. */
  List<NodeInfo> nodes();

  /** Calls the listener for every later change. */
  void listen(Listener listener);

  /** Hears of changes. */
  interface Listener {
    /** A node has come; {@link #nodes} lists it. */
    void joined(NodeInfo node);

    /** A node has gone, cleanly or not; {@link #nodes} lists it no more. */
    void left(NodeInfo node);

    /** A member that is not a node has gone: an application. The id is what its messages carry. */
    default void applicationLeft(String id) {}
  }

  /** Returns the leader: the oldest node. This node, if it has left and sees no others. */
  default NodeInfo leader() {
    List<NodeInfo> nodes = nodes();
    return nodes.isEmpty() ? self() : nodes.getFirst();
  }

  default boolean isLeader() {
    return leader().name().equals(self().name());
  }

  /**
   * Whether a message is of the node that leads.
   *
   * @param key fingerprint of the key that its sender has proved to have; empty for a message of this process
   */
  default boolean isOfLeader(Optional<String> key) {
    return key.isEmpty() || key.get().equals(leader().key());
  }

  /**
   * Whether a message can be of a node. Nothing is known of one that is no member here yet, or not any more.
   *
   * @param key as for {@link #isOfLeader}
   */
  default boolean canBeOf(String node, Optional<String> key) {
    if (key.isEmpty()) {
      return true;
    }
    List<NodeInfo> named = nodes().stream().filter(one -> one.name().equals(node)).toList();
    return named.isEmpty() || named.stream().anyMatch(one -> one.key().equals(key.get()));
  }

  default Optional<NodeInfo> find(String node) {
    for (NodeInfo one : nodes()) {
      if (one.name().equals(node)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
