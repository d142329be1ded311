package io.vertxscr.launch;

import io.vertxscr.model.Names;

/**
 * A node of an allocation.
 *
 * @param name its host name, and the name of its daemon
 * @param slots processes that the resource manager has given it; 0 where it does not say
 */
public record Node(String name, int slots) {
  public Node {
    Names.node(name);
  }

  /** A node with an unknown number of processes. */
  public Node(String name) {
    this(name, 0);
  }
}
