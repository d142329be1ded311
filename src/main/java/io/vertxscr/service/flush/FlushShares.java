package io.vertxscr.service.flush;

import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.flow.flush.Leases.LeaseLimits;
import io.vertxscr.flow.flush.Leases.Need;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.flow.flush.Progress;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.node.flush.ShareReply;
import io.vertxscr.protocol.node.flush.ShareRequest;
import io.vertxscr.service.Event.CopyProgress;
import io.vertxscr.service.Event.FlushProgress;
import io.vertxscr.service.Observer;
import io.vertxscr.service.Recent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Limits and progress of the current copies, for each file system. Limits are those of the last run in the prefix
 * directory, else those of this node's own configuration. On the node's loop.
 */
public final class FlushShares {
  /** Of a node before it has asked: more of it are told by itself. */
  private static final int EXPECTED_WRITERS = 2;
  /** Far more than nodes may still ask about. */
  private static final int MOST_DROPPED = 256;

  private final FlushPolicy standard;
  private final LongSupplier clockMs;
  private final Observer observer;
  private final Recent<String, FlushPolicy> policies = new Recent<>(Limits.MAX_PREFIXES);
  private final Map<String, Leases> byFileSystem = new HashMap<>();
  private final Map<Integer, Copying> copying = new HashMap<>();
  private final Recent<String, Boolean> used = new Recent<>(Limits.MAX_PREFIXES);
  private final Recent<Integer, Boolean> dropped = new Recent<>(MOST_DROPPED);
  private Optional<TookOver> tookOver = Optional.empty();

  /** When this leader followed another one of so many nodes. */
  private record TookOver(long ms, int nodes) {}

  /** The copies of one dataset. */
  private record Copying(int attempt, Leases leases, LeaseLimits limits, Progress progress) {}

  /**
   * Shares for a leader.
   *
   * @param standard where no run has said anything else
   * @param clockMs any clock that does not go back
   * @param observer is told how far copies have come, now and then
   */
  public FlushShares(FlushPolicy standard, LongSupplier clockMs, Observer observer) {
    this.standard = standard;
    this.clockMs = clockMs;
    this.observer = observer;
  }

  /**
   * An earlier leader may have granted shares unknown here, and led runs of other policies. What this node knew when it
   * led before does not count.
   */
  public void takeOver(int nodes) {
    tookOver = Optional.of(new TookOver(clockMs.getAsLong(), nodes));
    byFileSystem.clear();
    policies.clear();
    used.clear();
  }

  /** Sets the policy of a run that begins in this prefix directory. */
  public void policy(String prefix, FlushPolicy policy) {
    policies.put(prefix, policy);
  }

  /** A run is about to begin. @param hasTraces whether there are datasets in its prefix directory: if not, it is new */
  public void begun(String prefix, boolean hasTraces) {
    used.put(prefix, hasTraces);
  }

  /** A flush has left a trace in this prefix directory. */
  public void used(String prefix) {
    used.put(prefix, true);
  }

  /**
   * Whether there must be traces of datasets.
   *
   * @param byNodes whether a node remembers that one was brought there; counts for a leader under which no run has
   *     begun there, and none has arrived
   */
  public boolean isUsed(String prefix, boolean byNodes) {
    return used.get(prefix).orElse(byNodes);
  }

  /** Returns the policy of flushes to this prefix directory. */
  public FlushPolicy policy(String prefix) {
    return policies.get(prefix).orElse(standard);
  }

  /**
   * Nodes will be told to copy.
   *
   * @param fileSystem what the prefix directory is in; files in one compete
   * @param ranksByNode how many ranks' files each has
   */
  public void begin(DatasetDescriptor dataset, int attempt, String prefix, String fileSystem,
      Map<String, Integer> ranksByNode) {
    FlushPolicy policy = policy(prefix);
    boolean limited = policy.background() && policy.bytesPerSecond() > 0;
    LeaseLimits limits = new LeaseLimits(policy.writers(), limited ? policy.bytesPerSecond() : Leases.UNLIMITED);
    long now = clockMs.getAsLong();
    Leases leases = byFileSystem.computeIfAbsent(fileSystem, _ -> leases());
    long bytes = dataset.totals().bytes();
    int ranks = ranksByNode.values().stream().mapToInt(Integer::intValue).sum();
    ranksByNode.forEach((node, here) -> leases.expect(
        holder(dataset.id(), node), limits, new Need(EXPECTED_WRITERS, 0, bytes / ranks * here), now));
    dropped.remove(dataset.id());
    copying.put(dataset.id(), new Copying(attempt, leases, limits, new Progress(bytes, now)));
  }

  private Leases leases() {
    Leases leases = new Leases();
    tookOver.ifPresent(when -> leases.takeOver(when.ms(), when.nodes()));
    return leases;
  }

  private static String holder(int datasetId, String node) {
    return datasetId + "@" + node;
  }

  /** Ends the copies of a dataset. After a success all bytes count as copied, even if the last reports are lost. */
  public void end(int datasetId, boolean well) {
    Copying ended = copying.remove(datasetId);
    if (ended != null) {
      if (well) {
        ended.progress.complete(clockMs.getAsLong());
      }
      tell(datasetId, ended);
    }
  }

  private void tell(int datasetId, Copying copies) {
    observer.notice(new FlushProgress(
        datasetId, copies.attempt, CopyProgress.of(copies.progress, clockMs.getAsLong())));
  }

  /** The dataset is to go: copies of it end as soon as they ask again, and leave no drafts. */
  public void drop(int datasetId) {
    if (copying.remove(datasetId) != null) {
      dropped.put(datasetId, true);
    }
  }

  /** A node asks for its share, and says how far it has come. */
  public ShareReply share(ShareRequest ask) {
    long now = clockMs.getAsLong();
    Copying mine = copying.get(ask.datasetId());
    if (mine == null || mine.attempt != ask.attempt()) {
      byFileSystem.values().forEach(leases -> leases.release(holder(ask.datasetId(), ask.node()), ask.need().busy()));
      return new ShareReply(Optional.empty(), dropped.get(ask.datasetId()).isPresent());
    }
    mine.progress.note(ask.node(), ask.doneBytes(), now);
    if (mine.progress.isDue(now)) {
      tell(ask.datasetId(), mine);
    }
    return new ShareReply(Optional.of(
        mine.leases.ask(holder(ask.datasetId(), ask.node()), mine.limits, ask.need(), now)), false);
  }

  /** Returns the progress of a dataset's copies; empty if none are in progress. */
  public Optional<Progress> progress(int datasetId) {
    return Optional.ofNullable(copying.get(datasetId)).map(Copying::progress);
  }

  /** The time by which progress is told. */
  public long nowMs() {
    return clockMs.getAsLong();
  }
}
