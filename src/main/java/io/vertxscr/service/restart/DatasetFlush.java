package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.Inventory;
import java.util.List;

/** Brings a dataset of the caches to its prefix directory. */
@FunctionalInterface
public interface DatasetFlush {
  /** @param all what the caches hold */
  Future<Void> flush(Inventory.Dataset dataset, List<Inventory> all);
}
