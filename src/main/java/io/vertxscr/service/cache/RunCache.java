package io.vertxscr.service.cache;

import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.placement.Eviction.Standing;
import io.vertxscr.protocol.node.RunInfo;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A run's view of the datasets in this node's caches, and its eviction settings. On the node's loop.
 *
 * <p>Only the run knows which datasets are whole: a filemap alone says no more than that this node's part is. Those are
 * the one that it restarted from and those that it has completed.
 */
public final class RunCache {
  private final Origin origin;
  private final Map<String, Integer> storeCounts = new HashMap<>();
  private final boolean crcOnDelete;
  private final Set<Integer> completed = new HashSet<>();
  /** Datasets that a loss of power could still take. */
  private final Set<Integer> unsynced = new HashSet<>();
  /** Those of them that are on their way to stable storage. */
  private final Set<Integer> syncing = new HashSet<>();
  /** Dataset that the run restarts from, 0 for none. */
  private int restart;
  /** The same where it has been brought to stable storage again, or is on its way there. */
  private int secured;
  /** Bytes of the last dataset that did not fit, by the base of its store. Written by any thread. */
  private final Map<String, Long> tooLarge = new ConcurrentHashMap<>();
  private boolean ended;

  /** A run that begins. */
  public RunCache(RunInfo info) {
    origin = new Origin(info.prefix(), info.map().size());
    for (StoreDescriptor store : info.policy().descriptors().stores()) {
      storeCounts.put(store.base(), store.count());
    }
    crcOnDelete = info.policy().cache().crcOnDelete();
    offered(info);
  }

  /** The next run is about to begin: what this one would keep, and what not, does not count any more. */
  void end() {
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }

  /** The run may restart from another dataset; only until it has completed one of its own. */
  public void offered(RunInfo info) {
    if (completed.isEmpty()) {
      restart = info.restart().map(RunInfo.Restartable::datasetId).orElse(0);
    }
  }

  /**
   * The dataset of the restart, which its own run may have left before it was on stable storage. Asked once, by who
   * brings it there.
   */
  public OptionalInt toSecure() {
    boolean asks = restart != secured;
    secured = restart;
    return asks && restart != 0 ? OptionalInt.of(restart) : OptionalInt.empty();
  }

  /** A dataset of so many bytes did not fit into a store. Any thread. */
  void refused(String storeBase, long bytes) {
    tooLarge.put(storeBase, bytes);
  }

  /** Bytes of the last dataset that did not fit into a store; 0: all did. */
  long refusedBytes(String storeBase) {
    return tooLarge.getOrDefault(storeBase, 0L);
  }

  /** Every node has a dataset, protected. */
  public void completed(int datasetId) {
    completed.add(datasetId);
  }

  /** A dataset is on its way to stable storage: it replaces no other until it is there on all nodes. */
  public void syncing(int datasetId) {
    unsynced.add(datasetId);
    syncing.add(datasetId);
  }

  /** All nodes have it on stable storage. */
  public void synced(int datasetId) {
    unsynced.remove(datasetId);
    syncing.remove(datasetId);
  }

  /** The dataset of the restart is not brought there: it replaces no other. */
  public void untried(int datasetId) {
    unsynced.add(datasetId);
  }

  /** Some node cannot bring it there. */
  public void notSynced(int datasetId) {
    syncing.remove(datasetId);
  }

  /** Whether some dataset is on its way to stable storage. */
  boolean isSyncing() {
    return !syncing.isEmpty();
  }

  /** Returns the standing of a dataset of this node. */
  Standing standing(DatasetRecord record) {
    int id = record.descriptor().id();
    if (!isOwn(record)) {
      return Standing.FOREIGN;
    }
    if (completed.contains(id) || id == restart) {
      return unsynced.contains(id) ? Standing.UNTRIED : Standing.WHOLE;
    }
    return id < restart ? Standing.UNTRIED : Standing.PASSED_OVER;
  }

  /** Whether a run like this one may restart from it. */
  private boolean isOwn(DatasetRecord record) {
    return record.origin().isLike(origin)
        || record.descriptor().flags().shards() && record.origin().prefix().equals(origin.prefix());
  }

  Map<String, Integer> storeCounts() {
    return storeCounts;
  }

  boolean crcOnDelete() {
    return crcOnDelete;
  }
}
