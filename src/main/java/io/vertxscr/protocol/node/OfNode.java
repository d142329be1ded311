package io.vertxscr.protocol.node;

/** Message that a node sends of itself: only who has that node's key may send it. */
public interface OfNode {
  /** The sender. */
  String node();
}
