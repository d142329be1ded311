package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Eviction.Cached;
import io.vertxscr.placement.Eviction;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts datasets from this node's caches in the background ({@link Eviction} selects them). A phase waits for it only
 * if it needs the space. On the node's loop.
 */
public final class CacheEvictor {
  private static final Logger LOG = LoggerFactory.getLogger(CacheEvictor.class);

  private static final long TRASH_DELAY_MS = 100;

  private final Loop loop;
  private final String self;
  private final DatasetStore store;
  private final Observer observer;
  private final Map<Integer, Future<Void>> leaving = new HashMap<>();
  /** Longer than the datasets that were brought there are here. In the order in which they were seen last. */
  private final SequencedSet<String> prefixes = new LinkedHashSet<>();
  private Optional<RunCache> last = Optional.empty();
  private boolean emptying;
  private boolean more;

  /** Keeps the caches of a node. */
  public CacheEvictor(Loop loop, String self, DatasetStore store, Observer observer) {
    this.loop = loop;
    this.self = self;
    this.store = store;
    this.observer = observer;
  }

  /** Evicts the surplus after a dataset is complete. Does nothing once the next run is about to begin. */
  public void keep(RunCache cache) {
    if (cache.isEnded()) {
      return;
    }
    last = Optional.of(cache);
    if (more) {
      emptyTrash();
    }
    Eviction.late(cached(cache), cache.storeCounts()).forEach(this::leave);
  }

  /**
   * Ranks of the next run arrive. It may restart from what the last one would have evicted; what is too much goes when
   * it has completed a dataset.
   */
  public void nextRun() {
    last.ifPresent(RunCache::end);
  }

  /** A dataset has been flushed: output is evicted, a checkpoint stays as long as the others. */
  public void flushed(int datasetId) {
    noteFlushed();
    if (store.find(datasetId).filter(record -> !record.descriptor().flags().checkpoint()
        && record.flush() == FlushState.DONE).isPresent()) {
      leave(datasetId);
    } else {
      last.ifPresent(this::keep);
    }
  }

  private void noteFlushed() {
    store.list().stream().filter(record -> record.flush() == FlushState.DONE)
        .forEach(record -> prefixes.addLast(record.origin().prefix()));
    while (prefixes.size() > Limits.MAX_FLUSHED_PREFIXES) {
      prefixes.removeFirst();
    }
  }

  /** The last prefix directories to which datasets of this cache have come. It may have evicted them since. */
  Set<String> prefixes() {
    noteFlushed();
    return prefixes;
  }

  /** Returns the datasets of this node as input for the eviction rules. */
  List<Cached> cached(RunCache cache) {
    return store.list().stream().map(record -> new Cached(record.descriptor().id(), record.cache().base(),
        record.descriptor().flags().checkpoint(), record.descriptor().flags().output(),
        record.redundancy().survives(record.origin().ranks()), isPending(record), cache.standing(record),
        record.flush(), store.bytes(record.descriptor().id()))).toList();
  }

  private static boolean isPending(DatasetRecord record) {
    return record.ranks().stream().anyMatch(rank -> rank.redundancy().isEmpty() && rank.set().size() > 1);
  }

  /**
   * Deletes datasets and waits until their space is free, best effort; the following write finds out. Not what is to
   * be flushed since they were selected: a node may have done that long before the last one had room.
   */
  public Future<Void> makeRoom(RunCache cache, List<Integer> datasetIds, String storeBase) {
    if (datasetIds.isEmpty()) {
      return Future.succeededFuture();
    }
    Set<Integer> held =
        cached(cache).stream().filter(Cached::isHeldByFlush).map(Cached::id).collect(Collectors.toSet());
    return Future.join(datasetIds.stream().filter(id -> !held.contains(id)).map(this::leave).toList())
        .compose(_ -> loop.<Void>blocking("make room in " + storeBase, () -> {
          store.reclaim(storeBase);
          return null;
        })).onFailure(e -> warn("no room can be made in " + storeBase, e)).otherwiseEmpty();
  }

  /** Deletes a dataset that was good until now; its files are checked before where that is wanted. */
  private Future<Void> leave(int datasetId) {
    Future<Void> present = leaving.get(datasetId);
    if (present != null) {
      return present;
    }
    Optional<DatasetRecord> chosen = store.find(datasetId);
    Future<Void> going = chosen.isEmpty() ? drop(datasetId)
        : checked(chosen.get()).transform((_, _) -> drop(datasetId, () -> store.evict(chosen.get())));
    leaving.put(datasetId, going);
    return going.onComplete(_ -> leaving.remove(datasetId, going));
  }

  private Future<Void> checked(DatasetRecord record) {
    return last.filter(RunCache::crcOnDelete).isEmpty() ? Future.succeededFuture()
        : loop.blocking("check dataset " + record.descriptor().id(), () -> {
          check(record);
          return null;
        });
  }

  private void check(DatasetRecord record) {
    int id = record.descriptor().id();
    Path directory = store.directory(id);
    for (RankRecord rank : record.ranks()) {
      rank.files().files().stream().flatMap(file -> FileChecks.problem(directory, file).stream()).findFirst()
          .ifPresent(problem -> {
            LOG.warn("dataset {}, rank {}, before it is deleted: {}", id, rank.files().rank(), problem);
            observer.notice(new Event.CorruptFound(id, self, rank.files().rank()));
          });
    }
  }

  /** Deletes a dataset: its filemap at once, its bytes later. */
  public Future<Void> drop(int datasetId) {
    return drop(datasetId, () -> {
      store.evict(datasetId);
      return true;
    });
  }

  /**
   * Deletes a dataset. One error may pass, so it is tried twice: a store has a SIZE that no write would find exceeded.
   *
   * @param evict returns whether it has gone
   */
  private Future<Void> drop(int datasetId, Callable<Boolean> evict) {
    String what = "evict dataset " + datasetId;
    return loop.blocking(what, evict).recover(failure -> {
      LOG.info("dataset {} cannot be evicted at once: {}", datasetId, failure.getMessage());
      return loop.blocking(what, evict);
    }).<Void>map(gone -> {
      if (gone) {
        observer.notice(new Event.Evicted(datasetId));
        emptyTrash();
      }
      return null;
    }).onFailure(e -> warn("dataset " + datasetId + " cannot be evicted", e));
  }

  /** A node that stops leaves the rest to its next start; nothing is wrong with that. */
  private static void warn(String what, Throwable failure) {
    if (!(failure instanceof ScrException e && e.fault() == Fault.STOPPING)) {
      LOG.warn("{}: {}", what, failure.getMessage());
    }
  }

  /** Soon, not at once: an application that waits for its next phase comes first. */
  private void emptyTrash() {
    if (emptying) {
      more = true;
      return;
    }
    emptying = true;
    loop.after(TRASH_DELAY_MS, () -> {
      more = false;
      loop.quietly("empty the trash", () -> {
        store.emptyTrash();
        return null;
      }).onComplete((_, failure) -> {
        emptying = false;
        if (failure != null) {
          warn("trash cannot be emptied", failure);
          more = true;                                    // the next phase tries again
        } else if (more) {
          emptyTrash();
        }
      });
    });
  }
}
