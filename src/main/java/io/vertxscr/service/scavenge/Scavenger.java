package io.vertxscr.service.scavenge;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.service.Event.ScavengeEnded;
import io.vertxscr.service.Event.ScavengeStarted;
import io.vertxscr.service.Observer;
import io.vertxscr.service.flush.FlushCoordinator;
import io.vertxscr.service.flush.WantedFlushes;
import io.vertxscr.service.restart.Inventories;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes the newest available checkpoint when no run does it any more. It is a flush like every other: one in progress
 * is joined, and lost files are rebuilt. On the leader's loop.
 */
public final class Scavenger {
  private static final Logger LOG = LoggerFactory.getLogger(Scavenger.class);

  private final Inventories caches;
  private final WantedFlushes wanted;
  private final FlushCoordinator flushes;
  private final Observer observer;

  public Scavenger(Inventories caches, WantedFlushes wanted, FlushCoordinator flushes, Observer observer) {
    this.caches = caches;
    this.wanted = wanted;
    this.flushes = flushes;
    this.observer = observer;
  }

  /**
   * Completes when it is there, or nothing can be had; for every prefix directory that the caches know.
   *
   * @param why for those who read the log
   */
  Future<Void> scavenge(String why) {
    return caches.all().compose(all -> {
      Map<String, List<Inventory.Dataset>> byPrefix = new TreeMap<>();
      CacheSnapshot.of(all).copies()
          .filter(dataset -> dataset.descriptor().flags().checkpoint())
          .sorted(Comparator.comparing((Inventory.Dataset dataset) -> dataset.descriptor().id()).reversed())
          .forEach(dataset -> byPrefix.computeIfAbsent(dataset.origin().prefix(), _ -> new ArrayList<>()).add(dataset));
      return Future.join(byPrefix.values().stream()
          .map(newestFirst -> bring(newestFirst, all, why)).toList()).mapEmpty();
    });
  }

  private Future<Void> bring(List<Inventory.Dataset> newestFirst, List<Inventory> all, String why) {
    if (newestFirst.isEmpty()) {
      return Future.succeededFuture();
    }
    Inventory.Dataset newest = newestFirst.getFirst();
    List<Inventory.Dataset> others = newestFirst.stream().filter(other -> !other.sameAs(newest)).toList();
    if (newestFirst.stream().anyMatch(same -> same.sameAs(newest) && same.flush() == FlushState.DONE)) {
      return Future.succeededFuture();
    }
    int id = newest.descriptor().id();
    String name = newest.descriptor().name();
    LOG.info("dataset {} \"{}\" is scavenged: it is brought to {}", id, name, newest.origin().prefix());
    observer.notice(new ScavengeStarted(id, name, newest.origin().prefix(), why));
    return wanted.prepare(newest, all).compose(_ -> flushes.flush(id))
        .onSuccess(_ -> observer.notice(new ScavengeEnded(id, name, "")))
        .recover(failure -> {
          LOG.warn("dataset {} of the caches cannot be had: {}", id, failure.getMessage());
          observer.notice(new ScavengeEnded(id, name, failure.getMessage()));
          return bring(others, all, "dataset " + id + " cannot be had");
        });
  }
}
