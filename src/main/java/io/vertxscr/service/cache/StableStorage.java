package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the application's files of datasets to stable storage, where their store has any. On the node's loop.
 *
 * <p>The redundancy file and the filemap of a dataset are synced before it is complete; its files are not, because the
 * application would wait for a disk. A loss of power of more nodes than its sets tolerate takes it then. So the
 * datasets before it stay until all nodes have synced their parts of it, and know the checksums: without these nobody
 * could tell after that loss whether the files are what they were.
 */
public final class StableStorage {
  private static final Logger LOG = LoggerFactory.getLogger(StableStorage.class);

  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final UnreadDatasets unread;
  /** Whether a store is in memory, by its base. */
  private final Map<String, Boolean> inMemory = new HashMap<>();
  /** The last that a leader has answered. Other nodes may not have heard its answer. */
  private final Deque<DatasetSynced> answered = new ArrayDeque<>();

  /** Syncs for a node. */
  public StableStorage(Loop loop, NodeBus bus, String self, DatasetStore store, UnreadDatasets unread) {
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.unread = unread;
  }

  /** When datasets of a store are to be synced on this node: not AUTO. Does not fail. */
  public Future<StoreSync> when(StoreDescriptor target) {
    if (target.sync() != StoreSync.AUTO) {
      return Future.succeededFuture(target.sync());
    }
    Boolean known = inMemory.get(target.base());
    Future<Boolean> memory = known != null ? Future.succeededFuture(known)
        : loop.blocking("look at the file system of " + target.base(), () -> {
          store.freeBytes(target.base());                 // makes the directory
          return LocalFiles.isInMemory(loop.files().path(target.base()));
        }).onSuccess(is -> inMemory.put(target.base(), is));
    return memory.otherwise(false).map(is -> is ? StoreSync.NONE : StoreSync.EVICT);
  }

  /** Syncs the files of a dataset on this node, while a phase waits for it. */
  public Future<Void> sync(int datasetId, List<RankFiles> ranks) {
    return loop.blocking(naming(datasetId), () -> synced(datasetId, ranks));
  }

  private static String naming(int datasetId) {
    return "sync dataset " + datasetId;
  }

  private Void synced(int datasetId, List<RankFiles> ranks) {
    store.sync(datasetId, ranks);
    return null;
  }

  /**
   * A dataset is complete and need not be synced. If no flush will read it, it is read here for its checksums.
   */
  public void unsynced(DatasetRecord dataset) {
    if (dataset.flush() == FlushState.NOT_WANTED) {
      unread.quietly(dataset.descriptor().key()).onFailure(failure -> LOG.info(
          "the checksums of dataset {} stay unknown: {}", dataset.descriptor().id(), failure.getMessage()));
    }
  }

  /**
   * Syncs the files of a dataset on this node, if they can be, and tells the leader. In between those are read that
   * nobody has read yet.
   *
   * @return completes when they are on stable storage on all nodes; fails if they never will be
   */
  public Future<Void> everywhere(RunInfo run, DatasetRecord dataset, StoreDescriptor target) {
    int id = dataset.descriptor().id();
    return when(target).compose(when -> {
      if (when == StoreSync.NONE) {
        unsynced(dataset);
        return Future.<Void>succeededFuture();
      }
      return loop.quietly(naming(id), () -> synced(id, dataset.ranks().stream().map(RankRecord::files).toList()))
          .compose(_ -> unread.quietly(dataset.descriptor().key()));
    }).map("").otherwise(failure -> isNotMissed(dataset) ? "" : String.valueOf(failure.getMessage()))
        .compose(trouble -> tell(run, dataset.descriptor().key(), trouble));
  }

  /** Output that has left the cache meanwhile is in the prefix directory. */
  private boolean isNotMissed(DatasetRecord dataset) {
    return !dataset.descriptor().flags().checkpoint() && store.find(dataset.descriptor().id()).isEmpty();
  }

  /**
   * Tells the leader of a dataset that has left this cache since its phase was complete. The others wait for all nodes.
   * Output leaves it because it is in the prefix directory.
   *
   * @return as {@link #everywhere}
   */
  public Future<Void> left(RunInfo run, DatasetDescriptor dataset) {
    return tell(run, dataset.key(), dataset.flags().checkpoint() ? "it has left the cache" : "");
  }

  /**
   * Tells the leader of a dataset whose phase was not heard to be complete here when its run was over. Nodes that have
   * heard it would wait for this one.
   */
  public void undecided(RunInfo run, DatasetDescriptor dataset) {
    tell(run, dataset.key(), "its phase was not heard to be complete there").otherwiseEmpty();
  }

  /**
   * Tells the leader that the run was over before its checkpoint of the restart was synced here.
   * Nodes whose ranks had begun to write would wait for this one.
   */
  public void unsecured(RunInfo run, DatasetKey checkpoint) {
    tell(run, checkpoint, "its run was over before it was synced there").otherwiseEmpty();
  }

  /**
   * Tells the leader that this cache has nothing of the checkpoint of the restart. Its ranks read it in the prefix
   * directory. Other nodes may have had parts of it since an earlier run, and wait for all.
   *
   * @return as {@link #everywhere}
   */
  public Future<Void> lacks(RunInfo run, DatasetKey checkpoint) {
    return tell(run, checkpoint, "it is not in the cache");
  }

  private Future<Void> tell(RunInfo run, DatasetKey dataset, String trouble) {
    DatasetSynced part = new DatasetSynced(run.run(), dataset, self, run.map().byNode().size(), trouble);
    return bus.askLeader(NodeVerb.SYNCED, part, Ack.class).<Void>mapEmpty().onComplete(_ -> {
      answered.add(part);
      if (answered.size() > NodeRunState.MOST_SYNCED) {
        answered.remove();
      }
    });
  }

  /** What another leader is told again. Nodes that have not heard the answer of the last one ask it, and wait. */
  public List<DatasetSynced> answered() {
    return List.copyOf(answered);
  }
}
