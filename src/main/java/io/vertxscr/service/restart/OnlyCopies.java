package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.restart.PrefixFetcher.Listing;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in the caches what was flushed, but is in the prefix directory no longer. On the node's loop.
 *
 * @param caches whose copies they are
 * @param prefix says what the prefix directory has
 * @param journal says what restarts pass over
 */
public record OnlyCopies(Inventories caches, PrefixFetcher prefix, RestartJournal journal) {
  private static final Logger LOG = LoggerFactory.getLogger(OnlyCopies.class);

  /** Looks at a prefix directory whose datasets have changed, or the history of its restarts. */
  public Future<Void> keep(String directory) {
    return journal.read(directory).compose(history -> keep(directory, history));
  }

  private Future<Void> keep(String directory, RestartHistory history) {
    return caches.all().compose(all -> CacheSnapshot.of(all).copiesFor(directory).noneMatch(OnlyCopies::isFlushed)
        ? Future.succeededFuture()
        : prefix.list(directory).compose(flushed -> keep(all, directory, flushed, history)));
  }

  private static boolean isFlushed(Inventory.Dataset dataset) {
    return dataset.flush() == FlushState.DONE && dataset.descriptor().flags().checkpoint();
  }

  /**
   * Does so when a dataset has taken names of others there, or they have kept it out. Who has lost them counts as
   * flushed, but not where restarts pass the later one over.
   */
  public Future<Void> keepIfPassedOver(String directory) {
    return journal.read(directory)
        .compose(history -> history.from().isPresent() ? keep(directory, history) : Future.succeededFuture());
  }

  /**
   * Marks cached checkpoints as not flushed if their flushed copies are gone. They were purged or deleted, or replaced
   * by later ones that have been deleted, or that a restart passes over. The cached copies are kept as the only ones,
   * and flushed at the end.
   */
  Future<Void> keep(List<Inventory> all, String directory, Listing flushed, RestartHistory history) {
    return keep(caches, all, dataset -> isFlushed(dataset) && dataset.origin().prefix().equals(directory)
        && flushed.hasLost(dataset.descriptor(), history));
  }

  /**
   * Marks cached datasets as not flushed. One error may pass, and nodes may leave: once more, who is there is told.
   *
   * @param lost those that count as flushed, and whose flushed copies are gone, or of no use
   * @return fails where a node takes one for flushed all the same: it would evict its part
   */
  public static Future<Void> keep(Inventories caches, List<Inventory> all, Predicate<Inventory.Dataset> lost) {
    return tell(caches.bus(), all, lost).recover(failure -> {
      LOG.info("once more: {}", failure.getMessage());
      return caches.all().compose(now -> tell(caches.bus(), now, lost));
    });
  }

  private static Future<Void> tell(NodeBus bus, List<Inventory> all, Predicate<Inventory.Dataset> lost) {
    return Future.join(all.stream().flatMap(cache -> cache.datasets().stream().filter(lost)
        .map(dataset -> tell(bus, cache.node(), dataset))).toList()).mapEmpty();
  }

  private static Future<Ack> tell(NodeBus bus, String node, Inventory.Dataset dataset) {
    DatasetDescriptor which = dataset.descriptor();
    return bus.command(node, NodeVerb.FLUSHED, new FlushStateChange(which.key(), FlushState.NOT_WANTED), Ack.class)
        .recover(failure -> Future.failedFuture(new ScrException(Fault.of(failure), "node " + node + " takes dataset "
            + which.id() + " \"" + which.name() + "\" for flushed, which is gone from " + dataset.origin().prefix()
            + ", or of no use there: " + failure.getMessage(), failure)));
  }
}
