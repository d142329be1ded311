package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.flow.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Flushing.Flushed;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.Membership;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the newest checkpoint that can be had to the prefix directory when no run does it any more: by a flush like
 * every other, so one that is under way is joined, and what a lost node had is rebuilt for it. On the leader's loop.
 */
final class Scavenger {
  private static final Logger LOG = LoggerFactory.getLogger(Scavenger.class);

  private final Inventories caches;
  private final CacheRestores restores;
  private final FlushCoordinator flushes;

  Scavenger(Inventories caches, CacheRestores restores, FlushCoordinator flushes) {
    this.caches = caches;
    this.restores = restores;
    this.flushes = flushes;
  }

  Membership membership() {
    return caches.membership();
  }

  /** Completes when it is there, or nothing can be had; for every prefix directory that the caches know. */
  Future<Void> scavenge() {
    return caches.all().compose(all -> {
      Map<String, List<Inventory.Dataset>> byPrefix = new TreeMap<>();
      all.stream().flatMap(inventory -> inventory.datasets().stream())
          .filter(dataset -> dataset.descriptor().flags().checkpoint())
          .sorted(Comparator.comparing((Inventory.Dataset dataset) -> dataset.descriptor().id()).reversed())
          .forEach(dataset -> byPrefix.computeIfAbsent(dataset.origin().prefix(), _ -> new ArrayList<>()).add(dataset));
      return Future.join(byPrefix.values().stream().map(newestFirst -> bring(newestFirst, all)).toList()).mapEmpty();
    });
  }

  private Future<Void> bring(List<Inventory.Dataset> newestFirst, List<Inventory> all) {
    if (newestFirst.isEmpty()) {
      return Future.succeededFuture();
    }
    Inventory.Dataset newest = newestFirst.getFirst();
    List<Inventory.Dataset> others = newestFirst.stream().filter(other -> !other.sameAs(newest)).toList();
    if (newestFirst.stream().anyMatch(same -> same.sameAs(newest) && same.flush() == FlushState.DONE)) {
      return Future.succeededFuture();
    }
    int id = newest.descriptor().id();
    LOG.info("dataset {} \"{}\" is scavenged: it is brought to {}", id, newest.descriptor().name(),
        newest.origin().prefix());
    boolean whole = FlushSteps.holders(newest, all).isPresent();
    return (whole ? Future.<Void>succeededFuture() : restores.complete(newest))
        .compose(_ -> caches.all()).compose(now -> want(newest, now)).compose(_ -> flushes.flush(id))
        .recover(failure -> {
          LOG.warn("dataset {} of the caches cannot be had: {}", id, failure.getMessage());
          return bring(others, all);
        });
  }

  /** Has it written down, so that the next leader, or the next start, goes on with it. */
  private Future<Void> want(Inventory.Dataset dataset, List<Inventory> all) {
    return Future.all(all.stream()
        .filter(inventory -> inventory.datasets().stream().anyMatch(dataset::sameAs))
        .map(inventory -> caches.bus().command(inventory.node(), NodeVerb.FLUSHED,
            new Flushed(dataset.descriptor().id(), false), Ack.class))
        .toList()).mapEmpty();
  }
}
