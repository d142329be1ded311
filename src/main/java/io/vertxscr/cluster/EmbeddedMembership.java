package io.vertxscr.cluster;

import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Membership of nodes that live in one process. Thread-safe. */
public final class EmbeddedMembership {
  private final List<NodeInfo> nodes = new CopyOnWriteArrayList<>();
  private final List<View> views = new CopyOnWriteArrayList<>();

  /**
   * Adds a node.
   *
   * @return what this node sees of the cluster
   * @throws ScrException DUPLICATE_NODE
   */
  public synchronized Membership join(NodeInfo node) {
    if (nodes.stream().anyMatch(other -> other.name().equals(node.name()))) {
      throw new ScrException(Fault.DUPLICATE_NODE, "node " + node.name() + " is a member already");
    }
    View view = new View(node);
    nodes.add(node);
    views.forEach(other -> other.listeners.forEach(listener -> listener.joined(node)));
    views.add(view);
    return view;
  }

  /** Removes a node and notifies the others. Does nothing if it is not a member. */
  public synchronized void leave(String name) {
    for (NodeInfo node : new ArrayList<>(nodes)) {
      if (node.name().equals(name)) {
        nodes.remove(node);
        views.removeIf(view -> view.self.equals(node));
        views.forEach(other -> other.listeners.forEach(listener -> listener.left(node)));
      }
    }
  }

  private final class View implements Membership {
    private final NodeInfo self;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    View(NodeInfo self) {
      this.self = self;
    }

    @Override
    public NodeInfo self() {
      return self;
    }

    @Override
    public List<NodeInfo> nodes() {
      return List.copyOf(nodes);
    }

    @Override
    public void listen(Listener listener) {
      listeners.add(listener);
    }
  }
}
