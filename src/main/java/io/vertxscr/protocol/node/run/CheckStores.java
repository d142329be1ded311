package io.vertxscr.protocol.node.run;

import java.util.List;

/** From the leader: stores that the run will use; their directories are made where they may be. */
public record CheckStores(List<StoreToCheck> stores) {}
