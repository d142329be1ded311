package io.vertxscr.service.copy;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.SerialQueue;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.storage.DatasetStore;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The copies of this node to prefix directories: serial for each dataset, yielding to phases. On the node's loop.
 */
public final class PrefixCopies {
  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final UnreadDatasets unread;
  private final SerialQueue<Integer> steps = new SerialQueue<>();
  /** In the order of their beginnings: an order by chance could not be replayed. */
  private final Set<PacedCopies> underWay = new LinkedHashSet<>();
  private long yieldEndNs;

  /**
   * One attempt of the leader to flush a dataset.
   *
   * @param background whether phases of the run go first: nobody waits for it
   */
  public record Attempt(int datasetId, int number, boolean background) {}

  /** Copies for a node. */
  public PrefixCopies(Loop loop, NodeBus bus, String self, DatasetStore store, UnreadDatasets unread) {
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.unread = unread;
    this.yieldEndNs = loop.nanoTime();
  }

  /**
   * Runs one step after the other for each dataset. The copies of an attempt that was given up, or of an earlier
   * leader, may still be under way and have the same drafts.
   */
  public <T> Future<T> inTurn(int datasetId, Supplier<Future<T>> step) {
    return steps.run(datasetId, step);
  }

  /** The record of a dataset of this node's caches. @throws ScrException NO_SUCH_DATASET */
  public DatasetRecord record(int datasetId) {
    return store.find(datasetId).orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET,
        "node " + self + " does not hold dataset " + datasetId));
  }

  /** Files of ranks that this node holds. @throws ScrException UNKNOWN_RANK */
  public List<RankFiles> files(DatasetRecord record, List<Integer> ranks) {
    return ranks.stream().map(rank -> record.rank(rank).orElseThrow(() -> new ScrException(Fault.UNKNOWN_RANK,
        "node " + self + " has no files of rank " + rank + " in dataset " + record.descriptor().id())).files())
        .toList();
  }

  /**
   * Copies extents to a target, and records the checksums that are known by that. What fails leaves no draft of this
   * node behind, unless another attempt goes on with it.
   *
   * @param ranks files that the extents are of
   * @return the files with their checksums
   */
  public Future<List<RankFiles>> copy(
      Attempt attempt, FlushTarget target, List<RankFiles> ranks, List<Extent> extents) {
    PacedCopies copies = new PacedCopies(loop, bus, self, attempt, extents);
    copies.yieldUntil(yieldEndNs);
    underWay.add(copies);
    return copies.run().onComplete(_ -> underWay.remove(copies)).<Void>map(_ -> {
      requireKnown(attempt.datasetId(), target);
      return null;
    }).recover(failure -> {
      if (Fault.of(failure) == Fault.STOPPING || Fault.of(failure) == Fault.NOT_LEADER) {
        return Future.failedFuture(failure);              // the next attempt goes on with what is there
      }
      List<FileMeta> all = ranks.stream().flatMap(rank -> rank.files().stream()).toList();
      return loop.prefix().<Void>runLong("discard drafts of dataset " + attempt.datasetId(), () -> {
        target.discard(all);
        return null;
      }).transform((_, _) -> Future.failedFuture(failure));
    }).compose(_ -> unread.learned(attempt.datasetId(), target.learned()))
        .map(_ -> ranks.stream().map(target.learned()::into).toList());
  }

  /** A sync may have failed while files were read for their checksums: nobody knows what was read since. */
  private void requireKnown(int datasetId, FlushTarget target) {
    if (!target.learned().isEmpty() && store.hasLostWrites(datasetId)) {
      throw new ScrException(Fault.CORRUPT, "a sync of dataset " + datasetId + " on node " + self
          + " failed before the checksums of its files were known");
    }
  }

  /** A phase begins on this node: copies that nobody waits for yield to it, for a bounded time. */
  public void standBack() {
    yieldEndNs = loop.nanoTime() + Limits.MAX_FLUSH_YIELD_MS * 1_000_000;
    yieldUntil(yieldEndNs);
  }

  /** The phase is over. */
  public void goOn() {
    yieldEndNs = loop.nanoTime();
    yieldUntil(yieldEndNs);
  }

  /** Some may end by it, and are not under way any more. */
  private void yieldUntil(long endNs) {
    List.copyOf(underWay).forEach(copies -> copies.yieldUntil(endNs));
  }

  /** Copies no further; what is copied will be found when this node, or another leader, goes on with it. */
  public void stop(ScrException cause) {
    List.copyOf(underWay).forEach(copies -> copies.end(cause));
  }
}
