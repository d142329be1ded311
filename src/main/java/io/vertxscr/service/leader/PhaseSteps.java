package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.JobSettings;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.flow.gather.GatherReducers;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.paths.CarriedPaths;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.SmallRank;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.OutputProtected;
import io.vertxscr.protocol.node.run.OutputStarted;
import io.vertxscr.protocol.node.run.OutputWritten;
import io.vertxscr.service.advice.LeaderAdvice;
import io.vertxscr.service.cache.SyncBarrier;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.restart.RestartJournal;
import io.vertxscr.service.run.ActiveRun;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's steps of an output phase: start, complete, protected or published, flushed. Page: docs/flows/phase.md.
 * On the node's loop.
 */
public final class PhaseSteps {
  private static final Logger LOG = LoggerFactory.getLogger(PhaseSteps.class);

  private final JobSettings job;
  private final FlushLeader flush;
  private final RestartJournal journal;
  private final LeaderAdvice advice;
  private final RunEvents events;
  private final SyncBarrier syncs;
  private final LongSupplier clockUs;
  private Optional<DatasetDescriptor> writing = Optional.empty();
  /** The turn in the prefix directory that a phase past the cache has. */
  private Optional<Promise<Void>> bypassing = Optional.empty();
  /** The last flush that a phase of this leader has begun. */
  private Optional<Flushing> flushing = Optional.empty();
  /** The last run of which it is noted that it got further than the checkpoint that it began with. */
  private long progressedRun;
  /** The last run in which something had to go for a new dataset. */
  private long narrowRun;

  /** @param end as of {@link io.vertxscr.service.flush.FlushCoordinator#flushNow} */
  private record Flushing(int dataset, Future<Void> end) {}

  /**
   * Works for the leader of a node.
   *
   * @param job named in the descriptors of datasets
   * @param clockUs microseconds since 1970
   */
  public PhaseSteps(JobSettings job, FlushLeader flush, RestartJournal journal, LeaderAdvice advice, RunEvents events,
      SyncBarrier syncs, LongSupplier clockUs) {
    this.job = job;
    this.flush = flush;
    this.journal = journal;
    this.advice = advice;
    this.events = events;
    this.syncs = syncs;
    this.clockUs = clockUs;
  }

  /** Names the dataset, its place and what is evicted for it. */
  Future<OutputStarted> start(ActiveRun run, List<NodeContribution<Part.Start>> starts) {
    RunInfo info = run.info();
    DatasetDescriptor next = GatherReducers.start(starts, clockUs.getAsLong(),
        new Job(job.user(), info.jobName(), job.id(), job.cluster()));
    Optional<String> full = GatherReducers.full(starts);
    if (full.isPresent() && !info.policy().cache().bypassWhenFull()) {
      ScrException refusal = new ScrException(Fault.NO_SPACE, full.get());
      events.refused(info.run(), next, refusal);
      throw refusal;
    }
    writing = Optional.of(next);
    FailureHistory.Level level = level(
        info.policy().descriptors().descriptorFor(next.flags(), next.checkpointId()), full.isPresent());
    advice.times().writes(level);
    full.ifPresent(why -> LOG.warn("dataset {} goes past the cache: {}", next.id(), why));
    List<Integer> evictions = full.isPresent() ? List.of() : GatherReducers.evictions(starts);
    if (!evictions.isEmpty()) {
      makingRoom(info, next);
    }
    OutputStarted started = new OutputStarted(next, evictions, full.isPresent());
    endBypass();
    Future<Void> turn = level == FailureHistory.Level.PREFIX
        ? beginBypass(info.prefix(), next).onFailure(_ -> endBypass(next)) : Future.succeededFuture();
    return turn.map(started).onSuccess(_ -> events.started(info.run(), next));
  }

  /**
   * Notes that there are datasets, since old ones go before the new one is there. Should that one fail, the next run is
   * to know that there were some.
   */
  private void makingRoom(RunInfo run, DatasetDescriptor next) {
    if (narrowRun != run.run()) {
      narrowRun = run.run();
      journal.note(run.prefix(), history -> history.knowing(next.id() - 1));
    }
  }

  /**
   * Keeps flushes from renaming files in the prefix directory until the dataset is published. One of an older dataset
   * with the same file names would put its bytes where the ranks are writing theirs. That may begin at any time: a node
   * comes back with what was missing, or somebody asks for it.
   */
  private Future<Void> beginBypass(String prefix, DatasetDescriptor next) {
    return flush.access().turns().enter(prefix).compose(turn -> {
      bypassing = Optional.of(turn);
      if (writing.filter(current -> current == next).isEmpty()) {
        endBypass();                                      // the run was over before its turn came
        return Future.succeededFuture();
      }
      // by which a node that was late in an earlier turn, or for an earlier leader, gives no names any more
      return flush.access().tokens().with(prefix, _ -> Future.succeededFuture());
    });
  }

  /** Ranks of a run that goes on write this dataset past the cache: no flush renames meanwhile. */
  void bypassing(RunInfo info, DatasetDescriptor dataset) {
    writing = Optional.of(dataset);
    beginBypass(info.prefix(), dataset);
  }

  private void endBypass(DatasetDescriptor of) {
    if (writing.filter(current -> current == of).isPresent()) {
      endBypass();                                        // else it is that of a later phase, if there is one
    }
  }

  private void endBypass() {
    bypassing.ifPresent(Promise::tryComplete);
    bypassing = Optional.empty();
  }

  private static FailureHistory.Level level(CheckpointDescriptor how, boolean pastTheCache) {
    if (pastTheCache || how.bypass()) {
      return FailureHistory.Level.PREFIX;
    }
    return how.redundancy().failures() > 0 ? FailureHistory.Level.NODE : FailureHistory.Level.PROCESS;
  }

  /** All ranks have written: their files are valid and no path has two owners, or the phase fails. */
  Future<OutputWritten> complete(ActiveRun run, List<NodeContribution<Part.Complete>> parts) {
    events.met(parts.getFirst().part().datasetId());
    return Future.succeededFuture(parts).map(all -> written(run.info().map(), all))
        .onSuccess(written -> {
          if (!written.claimFirst()) {
            events.written(written.totals());
          }
        })
        .onFailure(failure -> events.discarded(run.info().run(), failure))
        .onFailure(_ -> endBypass());
  }

  private static OutputWritten written(RankMap map, List<NodeContribution<Part.Complete>> parts) {
    for (NodeContribution<Part.Complete> from : parts) {
      from.part().carried().stream().map(SmallRank::rank).filter(rank -> !map.nodeOf(rank).equals(from.node()))
          .findFirst().ifPresent(rank -> {
            throw new ScrException(
                Fault.BAD_REQUEST, "node " + from.node() + " has files of rank " + rank + ", which is not there");
          });
    }
    if (parts.stream().anyMatch(from -> !from.part().carried().isEmpty()) && parts.stream().anyMatch(from ->
        from.part().carried().isEmpty() && from.part().totals().files() > 0)) {
      return OutputWritten.CLAIM_FIRST;
    }
    String clash = Second.refusal(CarriedPaths.seconds(
        parts.stream().map(from -> new NodeContribution<>(from.node(), from.part().carried())).toList()));
    if (!clash.isEmpty()) {
      throw new ScrException(
          Fault.NOT_VALID, "dataset " + parts.getFirst().part().datasetId() + " is discarded: " + clash);
    }
    return new OutputWritten(GatherReducers.complete(parts), parts.stream()
        .flatMap(from -> from.part().carried().stream()).filter(SmallRank::hasBytes).toList(), false);
  }

  /** All nodes have computed their redundancy. The dataset is complete, and flushed where the policy wants it. */
  Future<OutputProtected> protectedEverywhere(ActiveRun run, List<NodeContribution<Part.Done>> parts) {
    int id = parts.getFirst().part().datasetId();
    events.met(id);
    Optional<DatasetDescriptor> known = writing.filter(dataset -> dataset.id() == id);
    return Future.succeededFuture(parts).map(all -> {
      GatherReducers.done(all);
      known.ifPresent(dataset -> progressed(run, run.info().restart(), dataset.flags()));
      run.info(run.info().with(Optional.empty()));
      return completed(id, known.map(dataset -> dataset.flags().checkpoint()).orElse(true),
          all.stream().anyMatch(from -> from.part().sync()));
    }).onSuccess(_ -> {
      events.complete(run.info().run());
      flush(run.info().policy().flush(), id, known);
    }).onFailure(failure -> events.discarded(run.info().run(), failure)).compose(this::recorded);
  }

  private void flush(FlushPolicy policy, int id, Optional<DatasetDescriptor> known) {
    if (known.isEmpty()) {
      flush.wanted().resume();                            // this node was not the leader yet when the phase began
    } else if (policy.wants(known.get().flags(), known.get().checkpointId())) {
      flushing = Optional.of(new Flushing(id, flush.coordinator().flushNow(id)));
    }
  }

  private void progressed(ActiveRun run, Optional<RunInfo.Restartable> from, DatasetFlags flags) {
    if (progressedRun != run.info().run() && flags.checkpoint()) {
      progressedRun = run.info().run();
      from.ifPresentOrElse(dataset -> journal.progressed(run.info(), dataset),
          () -> journal.progressed(run.info().prefix()));
    }
  }

  private OutputProtected completed(int id, boolean checkpoint, boolean sync) {
    if (checkpoint) {
      advice.halts().checkpointWritten(id);
    }
    return new OutputProtected(advice.halts().reason(), advice.halts().exits(), sync);
  }

  /** Ranks hear of a checkpoint when it is counted down: another leader would not know that it was not. */
  private Future<OutputProtected> recorded(OutputProtected done) {
    return advice.halts().recorded().map(done);
  }

  /**
   * Publishes a dataset past the cache. Unlike a flush this fails the phase where it fails, since the dataset has no
   * other place.
   */
  Future<OutputProtected> published(ActiveRun run, List<NodeContribution<Part.Published>> parts) {
    Part.Published first = parts.getFirst().part();
    events.met(first.dataset().id());
    events.published(Totals.sum(parts.stream().map(from -> from.part().totals()).toList()));
    return Future.succeededFuture(parts).compose(all -> {
      DatasetDescriptor dataset = first.dataset().with(GatherReducers.published(all));
      RankMap map = run.info().map();
      List<String> holders = IntStream.range(0, map.size()).mapToObj(map::nodeOf).toList();
      Optional<RunInfo.Restartable> from = run.info().restart();
      run.info(run.info().with(Optional.empty()));
      return flush.coordinator().publishInPlace(dataset, run.info().prefix(), holders,
          all.stream().mapToLong(one -> one.part().mapBytes()).sum(),
          all.stream().anyMatch(one -> one.part().taken())).map(_ -> {
        progressed(run, from, dataset.flags());
        return completed(dataset.id(), dataset.flags().checkpoint(), false);
      });
    }).onSuccess(_ -> events.complete(run.info().run())).onFailure(failure ->
        events.discarded(run.info().run(), failure)).onComplete(_ -> endBypass()).compose(this::recorded);
  }

  /**
   * Ends a synchronous flush. It began when the dataset was complete, so that it needs no rank any more. One that fails
   * does not fail the phase: the cached copy stays, and it is tried again.
   */
  Future<Void> flushed(List<NodeContribution<Part.Done>> parts) {
    int id = parts.getFirst().part().datasetId();
    return flushing.filter(begun -> begun.dataset() == id).map(Flushing::end)
        .orElseGet(() -> flush.coordinator().flushNow(id));
  }

  /** A run begins, or goes on under this leader. */
  void open(long run) {
    syncs.begun(run);
  }

  /** Another node leads. If this one does again, no phase of its earlier leadership keeps flushes waiting. */
  void resigned() {
    writing = Optional.empty();
    endBypass();
    syncs.resigned();
  }

  /** Not all nodes of the run can say any more what they have synced. */
  void nodeLost(long run) {
    syncs.nodeLost(run);
  }

  /** A node says again what an earlier leader has answered; it waits for nothing. */
  void synced(DatasetSynced part) {
    syncs.synced(part);
  }

  /** The run is over before its time: nobody writes any more. */
  void over(long run, ScrException cause) {
    writing = Optional.empty();
    endBypass();
    if (cause.fault() == Fault.NODE_LOST) {
      nodeLost(run);
    }
  }
}
