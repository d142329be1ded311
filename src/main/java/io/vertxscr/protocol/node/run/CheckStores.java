package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** From the leader: stores that the run will use; their directories are made where they may be. */
public record CheckStores(List<StoreToCheck> stores) {
  public CheckStores {
    FieldChecks.size("stores", stores, Limits.MAX_STORES);
  }
}
