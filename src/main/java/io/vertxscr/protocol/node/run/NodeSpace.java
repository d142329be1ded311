package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Space in the stores that a node uses. */
public record NodeSpace(List<StoreSpace> stores) {
  /** Of a node that did not answer. */
  public static final NodeSpace UNKNOWN = new NodeSpace(List.of());

  public NodeSpace {
    FieldChecks.size("stores", stores, Limits.MAX_STORES);
    stores = List.copyOf(stores);
  }
}
