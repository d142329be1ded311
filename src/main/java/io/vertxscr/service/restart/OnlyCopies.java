package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.restart.PrefixFetcher.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps in the caches what was flushed, but is in the prefix directory no longer. On the node's loop. */
public record OnlyCopies(NodeBus bus) {
  private static final Logger LOG = LoggerFactory.getLogger(OnlyCopies.class);

  /** Whether the caches hold checkpoints of a prefix directory that count as flushed. */
  public static boolean mayBe(List<Inventory> all, String prefix) {
    return CacheSnapshot.of(all).copiesFor(prefix).anyMatch(OnlyCopies::isFlushed);
  }

  private static boolean isFlushed(Inventory.Dataset dataset) {
    return dataset.flush() == FlushState.DONE && dataset.descriptor().flags().checkpoint();
  }

  /**
   * Marks cached checkpoints as not flushed if their flushed copies are gone. They were purged or deleted, or replaced
   * by later ones that have been deleted. The cached copies are kept as the only ones, and flushed at the end.
   */
  public Future<Void> keep(List<Inventory> all, String prefix, Listing flushed) {
    return keep(all, dataset -> isFlushed(dataset) && dataset.origin().prefix().equals(prefix)
        && flushed.hasLost(dataset.descriptor().id()));
  }

  /** Marks cached datasets as not flushed. @param lost those whose flushed copies are gone, or of no use */
  public Future<Void> keep(List<Inventory> all, Predicate<Inventory.Dataset> lost) {
    List<Future<Ack>> told = new ArrayList<>();
    for (Inventory inventory : all) {
      inventory.datasets().stream().filter(lost)
          .forEach(dataset -> told.add(bus.command(inventory.node(), NodeVerb.FLUSHED,
              new FlushStateChange(dataset.descriptor().id(), FlushState.NOT_WANTED), Ack.class).otherwise(e -> {
                LOG.warn("node {} takes dataset {} for flushed: {}", inventory.node(), dataset.descriptor().id(),
                    e.getMessage());
                return Ack.ACK;
              })));
    }
    return Future.all(told).mapEmpty();
  }
}
