package io.vertxscr.simulation;

import io.vertxscr.service.VirtualTime;

/** The node ends in the middle of what it is doing; nothing of the program may catch it. */
final class NodeDeath extends VirtualTime.Ended {
  private static final long serialVersionUID = 1L;

  NodeDeath(String node) {
    super(node);
  }
}
