package io.vertxscr.service.leader;

import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Shortfalls;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import io.vertxscr.service.log.Operations;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Emits the events of the life of runs and datasets. A leader that took over in the middle of a phase knows its files
 * and times only from there on. On the node's loop.
 */
public final class RunEvents {
  private static final Logger LOG = LoggerFactory.getLogger(RunEvents.class);

  private final Observer observer;
  private final Operations operations;
  private final LongSupplier nanoClock;
  /** When ranks began to read a checkpoint; 0 where another leader has seen that. */
  private long readSinceNs;
  private Writing writing = Writing.NOTHING;
  /** How many datasets have failed since the last one that was complete, and why the last of them did. */
  private int failures;
  private String lastFailure = "";

  /** The dataset that is being written, id 0 for none; times by the nano clock. */
  private record Writing(int id, Totals totals, boolean published, long startedNs, long completedNs) {
    static final Writing NOTHING = begun(0, 0);

    static Writing begun(int id, long nowNs) {
      return new Writing(id, Totals.NONE, false, nowNs, nowNs);
    }
  }

  /**
   * Emits to an observer.
   *
   * @param operations one of those that the observer tells
   * @param nanoClock monotonic time in nanoseconds from any origin
   */
  public RunEvents(Observer observer, Operations operations, LongSupplier nanoClock) {
    this.observer = observer;
    this.operations = operations;
    this.nanoClock = nanoClock;
  }

  /** A run is about to begin, or goes on under this leader. Sets whether its rank 0 wants lines of operations. */
  void watch(RunPolicy policy) {
    operations.want(policy.log().operations());
  }

  /** Lines for rank 0 since the last call. */
  List<String> operations() {
    return operations.take();
  }

  /** A run has begun on all its nodes. */
  void begun(RunInfo info) {
    observer.notice(new Event.RunBegun(
        info.run(), info.jobName(), info.prefix(), info.map().size(), info.map().byNode().size()));
    for (String shortfall : Shortfalls.of(info.policy().descriptors(), info.map())) {
      LOG.warn("run {}: {}", info.run(), shortfall);
      observer.notice(new Event.ProtectionWeak(info.run(), shortfall));
    }
    Shortfalls.smaller(info.policy().descriptors(), info.map())
        .forEach(smaller -> LOG.info("run {}: {}", info.run(), smaller));
  }

  /** The run is over. @param cause missing where it has finalized */
  void over(long run, Optional<ScrException> cause) {
    observer.notice(new Event.RunOver(
        run, writing.id(), cause.map(ScrException::fault), cause.map(ScrException::getMessage).orElse("")));
    writing = Writing.NOTHING;
  }

  /** Ranks begin to write a dataset. */
  void started(long run, DatasetDescriptor dataset) {
    writing = Writing.begun(dataset.id(), nanoClock.getAsLong());
    observer.notice(new Event.PhaseStarted(run, dataset.id(), dataset.name(),
        dataset.flags().checkpoint(), dataset.flags().output()));
  }

  /** A step of a dataset that may have been started under another leader. */
  void met(int datasetId) {
    if (writing.id() != datasetId) {
      writing = Writing.begun(datasetId, nanoClock.getAsLong());
    }
  }

  /** All ranks have written; redundancy is computed from here on. */
  void written(Totals totals) {
    writing = new Writing(writing.id(), totals, false, writing.startedNs(), nanoClock.getAsLong());
  }

  /** Files and bytes of a dataset past the cache, which are known only at its end. */
  void published(Totals totals) {
    writing = new Writing(writing.id(), totals, true, writing.startedNs(), writing.completedNs());
  }

  /** The dataset is complete and protected. */
  void complete(long run) {
    observer.notice(new Event.DatasetComplete(run, writing.id(), writing.published(), extent()));
    writing = Writing.NOTHING;
    failures = 0;
  }

  /** The phase has failed for all ranks. */
  void discarded(long run, Throwable failure) {
    observer.notice(new Event.DatasetDiscarded(
        run, writing.id(), Fault.of(failure), String.valueOf(failure.getMessage()), extent()));
    writing = Writing.NOTHING;
    failed(failure);
  }

  /** A dataset is not begun. */
  void refused(long run, DatasetDescriptor dataset, ScrException refusal) {
    observer.notice(new Event.PhaseRefused(
        run, dataset.id(), dataset.name(), refusal.fault(), refusal.getMessage()));
    failed(refusal);
  }

  private void failed(Throwable failure) {
    failures++;
    lastFailure = String.valueOf(failure.getMessage());
  }

  /** What an operator should know as long as the last datasets have failed. */
  Optional<String> remark() {
    return failures == 0 ? Optional.empty() : Optional.of((failures == 1 ? "the last dataset was refused or discarded: "
        : "the last " + failures + " datasets were refused or discarded, the last one because: ") + lastFailure);
  }

  private Event.PhaseExtent extent() {
    long now = nanoClock.getAsLong();
    return new Event.PhaseExtent(writing.totals().files(), writing.totals().bytes(),
        (now - writing.startedNs()) / 1000, (now - writing.completedNs()) / 1000);
  }

  /** Ranks begin to read the checkpoint that they were offered. */
  void reading() {
    readSinceNs = nanoClock.getAsLong();
  }

  /** All ranks have read it. */
  void restarted(long run, int datasetId) {
    if (readSinceNs != 0) {
      operations.restarted(datasetId, (nanoClock.getAsLong() - readSinceNs) / 1000);
    }
    observer.notice(new Event.RestartRead(run, datasetId));
  }

  /** Some rank could not read it. */
  void restartFailed(long run, int datasetId, Throwable failure) {
    observer.notice(
        new Event.RestartFailed(run, datasetId, Fault.of(failure), String.valueOf(failure.getMessage())));
  }
}
