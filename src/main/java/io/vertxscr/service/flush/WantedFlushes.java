package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.restart.CacheRestores;
import io.vertxscr.service.restart.Inventories;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Datasets of the caches with a pending flush. WANTED in a filemap, or added at the begin and end of a run.
 * {@link FlushCoordinator} brings them there. On the node's loop.
 *
 * <p>If the files of some rank are in no cache, they are rebuilt first, on any node: it may be output, which no restart
 * would ever rebuild.
 */
public final class WantedFlushes {
  private static final Logger LOG = LoggerFactory.getLogger(WantedFlushes.class);
  private static final long RESUME_AGAIN_MS = 1000;
  /** For a dataset that is lost, as long as its prefix directory does not say whether it was removed. */
  private static final long LOOK_AGAIN_MS = 60_000;
  /** Too little of the dataset is in the caches of the present nodes. Another attempt would find no more. */
  private static final Set<Fault> LOST = EnumSet.of(Fault.TOO_MANY_LOST, Fault.CORRUPT, Fault.NO_SUCH_FILE);
  /** All of it is read then. What is bad may be rebuilt, and what could not be read may be readable by now. */
  private static final Set<Fault> MENDABLE = EnumSet.of(Fault.CORRUPT, Fault.NO_SUCH_FILE, Fault.IO);

  private final Loop loop;
  private final Inventories caches;
  private final CacheRestores restores;
  private final FlushCoordinator flushes;
  private boolean looksAgain;

  public WantedFlushes(Loop loop, Inventories caches, CacheRestores restores, FlushCoordinator flushes) {
    this.loop = loop;
    this.caches = caches;
    this.restores = restores;
    this.flushes = flushes;
  }

  /** Resumes the pending flushes, if this node is the leader. */
  public void resume() {
    if (!flushes.isParked() && caches.membership().isLeader()) {
      long before = flushes.arrivals();
      caches.all().onSuccess(all -> resume(all, before)).onFailure(_ -> loop.after(RESUME_AGAIN_MS, this::resume));
    }
  }

  private void resume(List<Inventory> all, long before) {
    byId(all, dataset -> dataset.flush() == FlushState.WANTED
        && !flushes.hasArrivedSince(dataset.descriptor().id(), before)).forEach((id, dataset) ->
        resume(dataset, all).onFailure(e -> LOG.warn("flush of dataset {}: {}", id, e.getMessage())));
  }

  /**
   * Flushes a dataset, with its lost files rebuilt, unless it was removed while a node was away. That is looked at
   * first: there may be too little of it, and nothing else would look at it until the next restart. Where the prefix
   * directory does not say so now, files are rebuilt all the same, and a dataset that is lost is looked at again later.
   */
  private Future<Void> resume(Inventory.Dataset dataset, List<Inventory> all) {
    int id = dataset.descriptor().id();
    if (isComplete(dataset, all)) {
      return flushes.flush(id);                           // which looks itself
    }
    return loop.prefix().within(PrefixJobs.PATIENCE, flushes.requireKnown(dataset)).transform((_, failure) -> {
      if (failure == null) {
        return complete(dataset, all);
      } else if (Fault.of(failure) == Fault.NO_SUCH_DATASET) {
        return Future.failedFuture(failure);
      }
      LOG.info("dataset {}: not known whether it was removed: {}", id, failure.getMessage());
      return complete(dataset, all).onFailure(lost -> {
        if (LOST.contains(Fault.of(lost))) {
          lookAgain();
        }
      });
    }).compose(_ -> flushes.flush(id));
  }

  /** Once for all of them. */
  private void lookAgain() {
    if (!looksAgain) {
      looksAgain = true;
      loop.after(LOOK_AGAIN_MS, () -> {
        looksAgain = false;
        resume();
      });
    }
  }

  /**
   * Flushes all cached datasets of a prefix directory before a run begins, oldest first.
   *
   * @param instead whether the run takes nothing from the caches
   * @return fails with IO if something cannot be brought there; what is lost in the caches is left out, and so is what
   *     restarts can only take from there
   */
  public Future<Void> flushAll(String prefix, boolean instead) {
    return caches.all().compose(all -> {
      Future<Void> flushed = Future.succeededFuture();
      for (Inventory.Dataset dataset : byId(all, dataset -> dataset.origin().prefix().equals(prefix)
          && dataset.flush() != FlushState.DONE).values()) {
        flushed = flushed.compose(_ -> flushNow(dataset, all, instead));
      }
      return flushed;
    });
  }

  /**
   * Flushes a dataset that is in the way of another one. What is lost as far as can be seen stays as it is.
   *
   * @param all what the caches hold
   * @return when it is in its prefix directory, or lost; fails where that cannot be reached now
   */
  public Future<Void> outOfTheWay(Inventory.Dataset dataset, List<Inventory> all) {
    return flushNow(dataset, all, false);
  }

  private Future<Void> flushNow(Inventory.Dataset dataset, List<Inventory> all, boolean instead) {
    int id = dataset.descriptor().id();
    long before = flushes.arrivals();
    return prepare(dataset, all).recover(WantedFlushes::unlessGone).compose(_ -> flushes.flushNow(id))
        .compose(_ -> caches.all())
        .compose(now -> flushes.hasArrivedSince(id, before) ? arrived(dataset, now, instead)
            : requireThere(dataset, now)).recover(failure -> {
          if (!LOST.contains(Fault.of(failure))) {
            return Future.failedFuture(failure);
          }
          LOG.warn("dataset {} \"{}\" of the caches is lost as far as can be seen now, and is not flushed: {}", id,
              dataset.descriptor().name(), failure.getMessage());
          return dataset.flush() == FlushState.WANTED ? Future.succeededFuture()
              : mark(dataset, all, FlushState.NOT_WANTED).otherwiseEmpty();   // it may not even have a directory
        });
  }

  /** What has left the caches meanwhile may have been flushed. */
  private static Future<Void> unlessGone(Throwable failure) {
    return Fault.of(failure) == Fault.NO_SUCH_DATASET ? Future.succeededFuture() : Future.failedFuture(failure);
  }

  /** It was flushed, and may have left the caches since. Or newer ones have its names, and it was not published. */
  private static Future<Void> arrived(Inventory.Dataset dataset, List<Inventory> now, boolean instead) {
    List<Inventory.Dataset> copies = CacheSnapshot.of(now).copies(dataset.key()).toList();
    if (copies.isEmpty() || copies.stream().anyMatch(held -> held.flush() == FlushState.DONE)) {
      return Future.succeededFuture();
    }
    String why = "dataset " + dataset.descriptor().id() + " \"" + dataset.descriptor().name()
        + "\" of the caches cannot be brought to " + dataset.origin().prefix() + ": newer datasets, which restarts pass"
        + " over, have its names there; its cached copy stays until they are dropped from the index";
    LOG.warn(why);
    return instead ? Future.failedFuture(new ScrException(Fault.IO, why)) : Future.succeededFuture();
  }

  private Future<Void> requireThere(Inventory.Dataset dataset, List<Inventory> now) {
    int id = dataset.descriptor().id();
    if (CacheSnapshot.of(now).copies(dataset.key()).anyMatch(held -> held.flush() == FlushState.DONE)) {
      return Future.succeededFuture();
    }
    return Future.failedFuture(flushes.givenUp(id).filter(why -> LOST.contains(why.fault()))
        .orElseGet(() -> new ScrException(Fault.IO, "dataset " + id + " \"" + dataset.descriptor().name()
            + "\" of the caches could not be flushed to " + dataset.origin().prefix()
            + ", where this run is to begin; its cached copy stays" + why(id))));
  }

  /** Of the last attempt, as far as it is known here. */
  private String why(int id) {
    return flushes.cause(id).or(() -> flushes.givenUp(id).map(ScrException::getMessage))
        .map(cause -> ": " + cause).orElse("");
  }

  /** Waits at the end of a run for the newest checkpoint and all pending flushes. */
  public Future<Void> finish(String prefix, boolean newestToo) {
    long before = flushes.arrivals();
    return caches.all().compose(all -> {
      List<Inventory.Dataset> mine = CacheSnapshot.of(all).copiesFor(prefix).toList();
      Optional<Inventory.Dataset> newest = mine.stream().filter(dataset -> dataset.descriptor().flags().checkpoint())
          .max(Comparator.comparingInt(dataset -> dataset.descriptor().id()))
          .filter(dataset -> newestToo && dataset.flush() != FlushState.DONE);
      return newest.map(dataset -> want(dataset, all)).orElseGet(Future::succeededFuture).compose(_ -> {
        List<Future<Void>> flushed = mine.stream()
            .filter(dataset -> dataset.flush() == FlushState.WANTED || newest.filter(dataset::sameAs).isPresent())
            .map(dataset -> dataset.descriptor().id()).distinct()
            .filter(id -> !flushes.hasArrivedSince(id, before)).map(flushes::flushNow).toList();
        return Future.all(flushed).mapEmpty();
      });
    });
  }

  /**
   * Makes a dataset complete in the caches, and records durably that it is wanted. Not all is read for it; where
   * something turns out to be bad, all is, and rebuilt from what is good.
   *
   * @param all what the caches hold
   * @return fails with TOO_MANY_LOST if files are lost for good; with NO_SUCH_DATASET where it has left the caches
   */
  public Future<Void> prepare(Inventory.Dataset dataset, List<Inventory> all) {
    return complete(dataset, all).compose(_ -> wantHeld(dataset))
        .recover(failure -> MENDABLE.contains(Fault.of(failure))
            ? restores.rebuilt(dataset.descriptor().id()).compose(_ -> wantHeld(dataset))
            : Future.failedFuture(failure));
  }

  /** In turn with who empties the caches: they keep it on all nodes, or it has gone. */
  private Future<Void> wantHeld(Inventory.Dataset dataset) {
    return restores.inTurn(() -> caches.all().compose(now -> {
      if (CacheSnapshot.of(now).holders(dataset.key()).isEmpty()) {
        throw new ScrException(
            Fault.NO_SUCH_DATASET, "dataset " + dataset.descriptor().id() + " is not in the caches any more");
      }
      return want(dataset, now);
    }));
  }

  private Future<Void> complete(Inventory.Dataset dataset, List<Inventory> all) {
    return isComplete(dataset, all) ? Future.succeededFuture() : restores.complete(dataset).onSuccess(_ ->
        LOG.info("dataset {}: lost files are rebuilt for its flush", dataset.descriptor().id()));
  }

  private static boolean isComplete(Inventory.Dataset dataset, List<Inventory> all) {
    return FlushSteps.holders(dataset, all, Optional.empty()).isPresent();
  }

  /** Records durably that a dataset is wanted, so that the next leader, or the next start, resumes. */
  private Future<Void> want(Inventory.Dataset dataset, List<Inventory> all) {
    return mark(dataset, all, FlushState.WANTED);
  }

  private Future<Void> mark(Inventory.Dataset dataset, List<Inventory> all, FlushState state) {
    return Future.all(CacheSnapshot.of(all).holders(dataset.key()).stream()
        .map(inventory -> caches.bus().command(inventory.node(), NodeVerb.FLUSHED,
            new FlushStateChange(dataset.key(), state), Ack.class))
        .toList()).mapEmpty();
  }

  private static Map<Integer, Inventory.Dataset> byId(List<Inventory> all, Predicate<Inventory.Dataset> chosen) {
    return CacheSnapshot.of(all).byId(chosen);
  }
}
