package io.vertxscr.service.data;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DatasetStore;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which datasets leave the cache of this node, and has them deleted behind everybody's back. A dataset goes
 * only when a newer one is protected, never while it is on its way to the prefix directory. On the node's loop.
 */
public final class CacheKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(CacheKeeper.class);

  private static final long TRASH_DELAY_MS = 100;

  private final Loop loop;
  private final DatasetStore store;
  private final Observer observer;
  private boolean emptying;
  private boolean more;

  /** Keeps the cache of a node. */
  public CacheKeeper(Loop loop, DatasetStore store, Observer observer) {
    this.loop = loop;
    this.store = store;
    this.observer = observer;
  }

  /** Evicts what is too much: keeps the newest checkpoints, and all that is not flushed yet but must be. */
  public void keep(int checkpoints) {
    evictions(store.list(), checkpoints).forEach(this::drop);
  }

  /** Which datasets go, ascending. */
  static List<Integer> evictions(List<DatasetRecord> held, int checkpoints) {
    List<Integer> newest = held.stream().map(DatasetRecord::descriptor).filter(d -> d.flags().checkpoint())
        .map(DatasetDescriptor::id).sorted((a, b) -> b - a).limit(checkpoints).toList();
    return held.stream().filter(record -> record.flush() != FlushState.WANTED)
        .map(record -> record.descriptor().id()).filter(id -> !newest.contains(id)).toList();
  }

  /** Deletes a dataset: its filemap at once, its bytes later. */
  public Future<Void> drop(int datasetId) {
    return loop.<Void>blocking("evict dataset " + datasetId, () -> {
      store.evict(datasetId);
      return null;
    }).onSuccess(_ -> observer.notice(new Event.Evicted(datasetId)))
        .onSuccess(_ -> emptyTrash())
        .onFailure(e -> warn("dataset " + datasetId + " cannot be evicted", e));
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
      loop.blocking("empty the trash", () -> {
        store.emptyTrash();
        return null;
      }).onComplete((_, failure) -> {
        if (failure != null) {
          warn("trash cannot be emptied", failure);
        }
        emptying = false;
        if (more && failure == null) {
          emptyTrash();
        }
      });
    });
  }
}
