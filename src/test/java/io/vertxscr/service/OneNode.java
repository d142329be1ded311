package io.vertxscr.service;

import io.vertxscr.model.NodeInfo;
import java.util.List;

/** A cluster of n1 alone, which leads it. */
public class OneNode implements Membership {
  @Override
  public NodeInfo self() {
    return nodes().getFirst();
  }

  @Override
  public List<NodeInfo> nodes() {
    return List.of(new NodeInfo("n1", "host", "127.0.0.1", 1));
  }

  @Override
  public void listen(Listener listener) {
    // Nobody comes or goes.
  }
}
