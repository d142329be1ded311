package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.service.Loop;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leader's barrier behind a phase: which nodes have a dataset on stable storage. It keeps nothing that the nodes do
 * not say again to the next leader. On the node's loop.
 */
public final class SyncBarrier {
  /** Of one run; nodes ask about the last few only. */
  static final int MOST_OPEN = 16;

  private final Loop loop;
  private final Map<DatasetKey, SyncedNodes> open = new LinkedHashMap<>();
  private long run;
  /** The last run that has lost a node, also when it was over. Not all of its nodes can say so any more. */
  private long endedByNodeLoss;

  /** Who has said it, and the answer for all of them. */
  private record SyncedNodes(Set<String> nodes, Promise<Ack> all) {}

  public SyncBarrier(Loop loop) {
    this.loop = loop;
  }

  /**
   * A node has synced its part; completes when all have. Fails with IO where some node could not, with NO_SUCH_DATASET
   * where not all can say so any more.
   */
  public Future<Ack> synced(DatasetSynced part) {
    if (part.run() == endedByNodeLoss) {
      return Future.failedFuture(gone("the run has lost a node"));
    }
    if (part.run() < run) {
      return Future.failedFuture(gone("another run has begun"));
    }
    begun(part.run());
    SyncedNodes dataset = open.computeIfAbsent(part.dataset(), _ -> new SyncedNodes(new HashSet<>(), loop.promise()));
    dataset.nodes().add(part.node());
    if (!part.trouble().isEmpty()) {
      dataset.all().tryFail(new ScrException(Fault.IO, "not on stable storage on node " + part.node() + ": "
          + part.trouble()));
    }
    if (dataset.nodes().size() >= part.nodes()) {
      dataset.all().tryComplete(Ack.ACK);
    }
    while (open.size() > MOST_OPEN) {
      DatasetKey oldest = open.keySet().iterator().next();
      open.remove(oldest).all().tryFail(gone("newer datasets have been synced since"));
    }
    return dataset.all().future();
  }

  /** A run has begun. Nodes of an earlier one may have gone since, which have not said all. */
  public void begun(long newRun) {
    if (newRun > run) {
      end("another run has begun");
      run = newRun;
    }
  }

  /** The run has lost a node. What has not been synced everywhere by now never is, as far as the others know. */
  public void nodeLost(long ofRun) {
    if (ofRun >= run) {                                   // else another run has begun
      begun(ofRun);
      endedByNodeLoss = ofRun;
      end("the run has lost a node");
    }
  }

  /** Another node leads: who still waits asks that one. */
  public void resigned() {
    List<SyncedNodes> unfinished =
        open.values().stream().filter(dataset -> !dataset.all().future().isComplete()).toList();
    open.values().removeAll(unfinished);                  // an answer that was lost can still be given again
    unfinished.forEach(dataset -> dataset.all().tryFail(
        new ScrException(Fault.NOT_LEADER, "another node leads: not all nodes have synced their parts yet")));
  }

  private void end(String why) {
    Map<DatasetKey, SyncedNodes> ended = new HashMap<>(open);
    open.clear();
    ended.values().forEach(dataset -> dataset.all().tryFail(gone(why)));
  }

  private static ScrException gone(String why) {
    return new ScrException(Fault.NO_SUCH_DATASET, "not on stable storage on all nodes: " + why);
  }
}
