package io.vertxscr.protocol.node.run;

import java.util.List;

/** Space in the stores that a node uses. */
public record NodeSpace(List<StoreSpace> stores) {
  /** Of a node that did not answer. */
  public static final NodeSpace UNKNOWN = new NodeSpace(List.of());

  public NodeSpace {
    stores = List.copyOf(stores);
  }
}
