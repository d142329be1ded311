package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.paths.NodePaths;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.SmallRank;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.OutputProtected;
import io.vertxscr.protocol.node.run.OutputStarted;
import io.vertxscr.protocol.node.run.OutputWritten;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.TraceScope;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.cache.Capacity;
import io.vertxscr.service.cache.StableStorage;
import io.vertxscr.service.copy.PrefixCopies;
import io.vertxscr.service.redundancy.ProtectionJob;
import io.vertxscr.service.redundancy.ProtectionService;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.CompletedNames;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.RankInMemory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's part in an output phase: start, complete, protect (docs/flows/phase.md). On the node's loop.
 */
public final class PhaseService {
  private static final Logger LOG = LoggerFactory.getLogger(PhaseService.class);

  private final Loop loop;
  private final ProtectionService protection;
  private final DatasetStore store;
  private final CacheEvictor keeper;
  private final Capacity capacity;
  private final PrefixCopies copies;
  private final BypassService bypass;
  private final ClaimService claims;
  private final CompletedNames names;
  private final StableStorage stable;
  private final FilePlaces places;
  /** The dataset that is being completed, 0 for none. */
  private int completing;
  /** The last run, if what it was writing when it ended is thrown away. */
  private LocalRun forgotten;
  private int lastDatasetId;
  private long lastCreatedUs;
  /** Of the runs in {@link #counting}. */
  private int lastCheckpointId;
  private String counting = "";

  /** Serves a node. */
  public PhaseService(
      Loop loop, ClaimService claims, BypassService bypass, Data data) {
    this.loop = loop;
    this.protection = data.protection();
    this.store = data.store();
    this.keeper = data.keeper();
    this.capacity = data.capacity();
    this.copies = data.copies();
    this.claims = claims;
    this.bypass = bypass;
    this.names = data.names();
    this.stable = data.stable();
    this.places = data.places();
  }

  /** Those who work on the node's datasets. */
  public record Data(DatasetStore store, ProtectionService protection, CacheEvictor keeper, Capacity capacity,
      PrefixCopies copies, CompletedNames names, FilePlaces places, StableStorage stable) {}

  public Future<CollectiveCalls.StepReplies> start(LocalRun run, List<RankCall> ranks) {
    noteKnown(run.info());
    run.cache().toSecure().ifPresent(id -> secure(run, id));
    RankCall first = ranks.getFirst();
    long[] gathering = new long[1];
    return room(run, first.flags()).compose(room -> {
      gathering[0] = loop.traces().now();
      Part.Start part = new Part.Start(first.name(), first.flags(), lastDatasetId, lastCheckpointId, lastCreatedUs,
          room);
      return run.gather(Step.START_OUTPUT, part, OutputStarted.class);
    }).compose(started -> {
      DatasetDescriptor descriptor = started.descriptor();
      loop.traces().ended(awaitNodes(run, descriptor.id(), Step.START_OUTPUT), gathering[0], null);
      lastDatasetId = descriptor.id();
      lastCreatedUs = descriptor.createdUs();
      run.restarted();
      copies.standBack();
      return open(run, started);
    });
  }

  /** The call of this node's ranks that makes a step. */
  private TraceScope step(LocalRun run, int id, Step step) {
    return loop.traces().phase(run.info().run(), id).child(step.title());
  }

  /** Its wait for the other nodes in a gather. */
  private TraceScope awaitNodes(LocalRun run, int id, Step gather) {
    return step(run, id, gather == Step.START_OUTPUT ? gather : Step.COMPLETE_OUTPUT)
        .child("await nodes", gather.title()).with("scr.step", gather.title());
  }

  private Future<CollectiveCalls.StepReplies> open(LocalRun run, OutputStarted started) {
    DatasetDescriptor dataset = started.descriptor();
    CheckpointDescriptor how = how(run.info(), dataset);
    Path prefix = loop.files().path(run.info().prefix());
    if (how.bypass() || started.bypass()) {
      run.open(OpenDataset.output(dataset, prefix, prefix));
      return Future.succeededFuture(new CollectiveCalls.StepReplies(
          _ -> new StartReply(dataset.id(), dataset.name(), prefix.toString()), false));
    }
    store.place(dataset.id(), how.storeBase());
    TraceScope evict = step(run, dataset.id(), Step.START_OUTPUT).child("evict");
    long since = loop.traces().now();
    return loop.traces().span(evict, since, keeper.makeRoom(run.cache(), started.evict(), how.storeBase())).map(_ -> {
      run.open(OpenDataset.output(dataset, prefix, store.directory(dataset.id())));
      return new CollectiveCalls.StepReplies(rank -> new StartReply(
          dataset.id(), dataset.name(), store.directory(dataset.id(), rank).toString(),
          OptionalInt.of(StartReply.CACHE_NAMES), Optional.empty()), false);
    });
  }

  /**
   * Waits for room for the next dataset. All nodes of the run know the same ids, so each can tell which descriptor it
   * will have.
   */
  private Future<Part.RoomEstimate> room(LocalRun run, int flagBits) {
    if (!DatasetFlags.areBits(flagBits)) {
      return Future.succeededFuture(Part.RoomEstimate.ENOUGH);    // refused by the leader, for all
    }
    DatasetFlags flags = DatasetFlags.ofBits(flagBits);
    int checkpointId = flags.checkpoint() ? lastCheckpointId + 1 : 0;
    CheckpointDescriptor how = run.info().policy().descriptors().descriptorFor(flags, checkpointId);
    return how.bypass() ? Future.succeededFuture(Part.RoomEstimate.ENOUGH)
        : capacity.awaitRoom(run.info(), run.cache(), how, run::isOver);
  }

  private void noteKnown(RunInfo info) {
    lastDatasetId = Math.max(lastDatasetId, Math.max(store.newestId(), info.found().lastDatasetId()));
    lastCreatedUs = Math.max(lastCreatedUs, Math.max(info.run(), info.found().lastCreatedUs()));
    lastCheckpointId = Math.max(
        info.prefix().equals(counting) ? lastCheckpointId : 0, info.found().lastCheckpointId());
    counting = info.prefix();
  }

  /**
   * Counts a checkpoint once it is complete. The number of one that failed is given again, so that every n-th good one
   * is flushed, and protected as the descriptor of its interval says. Its id is not.
   */
  private void noteComplete(LocalRun run, DatasetDescriptor dataset) {
    names.add(run.info().prefix(), dataset.name());
    lastCheckpointId = Math.max(lastCheckpointId, dataset.checkpointId());
  }

  public Future<CollectiveCalls.StepReplies> complete(LocalRun run, List<RankCall> ranks) {
    OpenDataset open = run.open();
    int id = open.descriptor().id();
    if (open.isBypass()) {
      return bypass.complete(run, ranks).onComplete(_ -> copies.goOn())
          .onSuccess(_ -> noteComplete(run, open.descriptor()));
    }
    completing = id;
    TraceScope look = step(run, id, Step.COMPLETE_OUTPUT).child("look");
    long since = loop.traces().now();
    return loop.traces().span(look, since, look(run, ranks))
        .compose(looked -> protect(run, open.descriptor(), looked))
        .onComplete((_, _) -> completing = completing == id ? 0 : completing)
        .onComplete(_ -> copies.goOn())
        .recover(failure -> discard(run, id, failure))
        .map(complete -> {
          noteComplete(run, open.descriptor());
          run.cache().completed(id);
          if (complete.sync()) {
            syncBehind(run, open.descriptor());
          } else {
            store.find(id).ifPresent(stable::unsynced);
          }
          keeper.keep(run.cache());
          return CollectiveCalls.StepReplies.same(reply(open.descriptor(), complete));
        });
  }

  static CompleteReply reply(DatasetDescriptor dataset, OutputProtected complete) {
    return new CompleteReply(
        dataset.id(), dataset.name(), complete.halt(), complete.exit() && complete.halt().isPresent());
  }

  /** Where the ranks' files are, how long they are, and whether each path is of one rank alone. */
  private Future<Looked> look(LocalRun run, List<RankCall> ranks) {
    OpenDataset open = run.open();
    int id = open.descriptor().id();
    WrittenFiles routed = WrittenFiles.routed(open, ranks);
    if (routed.isEmpty() && ranks.stream().allMatch(call -> call.files().isEmpty())) {
      return Future.succeededFuture(Looked.at(routed));
    }
    List<String> nodes = run.nodes();
    Future<WrittenFiles> placed = ranks.stream().allMatch(call -> call.files().isEmpty())
        ? Future.succeededFuture(routed)
        : places.resolve(open, PrefixJobs.PATIENCE_AT_BEGIN, "look at the listed files of dataset " + id,
            rules -> routed.listed(rules, ranks));
    CheckpointDescriptor how = how(run.info(), open.descriptor());
    boolean pulls = how.redundancy().scheme() == Scheme.RS;   // the other rows of parity, whatever it has in memory
    int smallBytes = pulls ? 0 : run.info().policy().cache().smallBytes();
    return placed.compose(listed -> loop.blocking("look at the files of dataset " + id, () -> {
      WrittenFiles measured = listed.measured(open.directory(), store.sealing(id, loop.clock().instant()))
          .in(capacity.requirement(run.info(), run.cache(), how));
      return new Looked(
          measured, claims.paths(nodes, listed.ranks()), measured.small(open.directory(), smallBytes), List.of(), true);
    })).compose(looked -> toldOrRefused(run, how, looked)).otherwise(failure -> {
      // the others wait for this node's part anyway
      warn("the files of dataset {} cannot be looked at here", id, failure);
      return Looked.unseen(routed.refused(String.valueOf(failure.getMessage())));
    });
  }

  /** Refuses what the other nodes cannot be told of; they wait for this node's part anyway. */
  private Future<Looked> toldOrRefused(LocalRun run, CheckpointDescriptor how, Looked looked) {
    return told(run, how, looked)
        .otherwise(failure -> looked.carrying(List.of()).refused(String.valueOf(failure.getMessage())));
  }

  /** Tells the other nodes of the paths here, and sends them small files, or has the gather carry both. */
  private Future<Looked> told(LocalRun run, CheckpointDescriptor how, Looked looked) {
    if (!looked.seen()) {
      return Future.succeededFuture(looked);              // refused for good: nobody knows what the ranks have written
    }
    List<SmallRank> carried =
        ClaimService.carried(run, looked.files().ranks(), looked.small(), exchangesBytes(how));
    return !carried.isEmpty()
        ? Future.succeededFuture(looked.refused(Second.refusal(looked.paths().here())).carrying(carried))
        : claims.claim(run, looked.paths(), protection.shared(run.info().map(), how, run.sets(how), looked.small()))
            .map(seconds -> looked.refused(Second.refusal(seconds)).carrying(List.of()));
  }

  /**
   * Files, and the same by their paths.
   *
   * @param small files with their bytes, by rank
   * @param carried files for the next gather
   * @param seen whether they are measured; else they are refused
   */
  private record Looked(
      WrittenFiles files, NodePaths paths, Map<Integer, RankInMemory> small, List<SmallRank> carried, boolean seen) {
    /** There is none. */
    static Looked at(WrittenFiles none) {
      return new Looked(none, NodePaths.NONE, Map.of(), List.of(), true);
    }

    static Looked unseen(WrittenFiles refused) {
      return new Looked(refused, NodePaths.NONE, Map.of(), List.of(), false);
    }

    Looked refused(String why) {
      return new Looked(files.refused(why), paths, small, carried, seen);
    }

    Looked carrying(List<SmallRank> files) {
      return new Looked(this.files, paths, small, files, seen);
    }
  }

  /** Whether nodes send each other small files before they protect them. */
  private static boolean exchangesBytes(CheckpointDescriptor how) {
    return how.redundancy().scheme() == Scheme.XOR || how.redundancy().scheme() == Scheme.PARTNER;
  }

  private Future<OutputProtected> protect(LocalRun run, DatasetDescriptor descriptor, Looked looked) {
    WrittenFiles written = looked.files();
    written.ranks().forEach(files -> store.register(descriptor.id(), files));
    TraceScope wait = awaitNodes(run, descriptor.id(), Step.COMPLETE_OUTPUT);
    long since = loop.traces().now();
    return loop.traces().span(wait, since, run.gather(Step.COMPLETE_OUTPUT,
        written.part(descriptor.id()).carrying(looked.carried()), OutputWritten.class)).compose(all -> {
          if (all.claimFirst()) {
            run.endCarrying();
            return toldOrRefused(run, how(run.info(), descriptor), looked)
                .compose(claimed -> protect(run, descriptor, claimed));
          }
          Map<Integer, RankInMemory> small = new HashMap<>(looked.small());
          small.putAll(run.takeReceived());
          DatasetDescriptor known = descriptor.with(all.totals());
          RunInfo info = run.info();
          CheckpointDescriptor how = how(info, known);
          Origin origin = new Origin(info.prefix(), info.map().size(), info.policy().form(how));
          DatasetRecord record = new DatasetRecord(known, origin, store.cache(known.id()),
              new RedundancyDescriptor(how, run.sets(how).count()), flushState(info, known), List.of());
          return stable.when(info.policy().descriptors().store(how.storeBase())).compose(when -> {
            TraceScope call = step(run, known.id(), Step.COMPLETE_OUTPUT);
            long begun = loop.traces().now();
            Future<Void> synced = when == StoreSync.COMPLETE
                ? loop.traces().span(call.child("sync"), begun, stable.sync(known.id(), written.ranks()))
                : Future.succeededFuture();               // beside the protection, which reads the same files
            return loop.traces().span(protect(call, how, known), begun, Future.succeededFuture().compose(_ -> {
              small.putAll(claims.received(run, all.carried()));
              return protection.protect(new ProtectionJob(record, info.run(), info.map(), run.sets(how), 0,
                  written.ranks(), written.seals(), small), capacity.requirement(info, run.cache(), how)::check,
                  when == StoreSync.COMPLETE);
            })).compose(saved -> synced.map(saved))
                .transform((saved, failure) ->
                    agree(run, saved, done(descriptor.id(), failure, when == StoreSync.EVICT), failure));
          });
        });
  }

  private static TraceScope protect(TraceScope call, CheckpointDescriptor how, DatasetDescriptor dataset) {
    return call.child(ProtectionService.SPAN).with("scr.redundancy.scheme", how.redundancy().scheme().name())
        .with("scr.dataset.bytes", dataset.totals().bytes());
  }

  /** The phase is over: older datasets stay until this one is on stable storage. */
  private void syncBehind(LocalRun run, DatasetDescriptor dataset) {
    store.find(dataset.id()).ifPresentOrElse(record ->
        synced(run, dataset.id(), loop.traces().span(
            loop.traces().phase(run.info().run(), dataset.id()).child("sync behind"), loop.traces().now(),
            stable.everywhere(run.info(), record, target(run, record))))
            .onSuccess(_ -> keeper.keep(run.cache())), () -> stable.left(run.info(), dataset));
  }

  /** Older datasets stay until the checkpoint that the run has restarted from is on stable storage. */
  private void secure(LocalRun run, int id) {
    if (run.info().restart().flatMap(RunInfo.Restartable::shards)
        .filter(holders -> holders.size() != run.info().map().size()).isPresent()) {
      run.cache().untried(id);                            // its files are on nodes that do not take part as well
      return;
    }
    store.find(id).ifPresentOrElse(record -> {
      StoreDescriptor target = target(run, record);
      synced(run, id, stable.when(target).compose(when -> when == StoreSync.NONE ? Future.succeededFuture()
          : stable.everywhere(run.info(), record, target)));
    }, () -> run.info().restart().ifPresent(restart -> stable.lacks(run.info(), restart.key())));
  }

  /** The store of a dataset, which this run need not have named. */
  private static StoreDescriptor target(LocalRun run, DatasetRecord record) {
    String base = record.cache().base();
    return run.info().policy().descriptors().stores().stream().filter(store -> store.base().equals(base)).findFirst()
        .orElseGet(() -> StoreDescriptor.of(base, 1));
  }

  private Future<Void> synced(LocalRun run, int id, Future<Void> everywhere) {
    run.cache().syncing(id);
    return everywhere.onSuccess(_ -> run.cache().synced(id)).onFailure(failure -> {
      run.cache().notSynced(id);
      if (store.find(id).isPresent()) {                   // else a newer one has taken its place meanwhile
        LOG.warn("older datasets stay beside dataset {}: {}", id, failure.getMessage());
      }
    });
  }

  private static CheckpointDescriptor how(RunInfo info, DatasetDescriptor dataset) {
    return info.policy().descriptors().descriptorFor(dataset.flags(), dataset.checkpointId());
  }

  private static FlushState flushState(RunInfo info, DatasetDescriptor dataset) {
    return info.policy().flush().wants(dataset.flags(), dataset.checkpointId())
        ? FlushState.WANTED : FlushState.NOT_WANTED;
  }

  /** Tells all whether it went well here, and hears whether it did everywhere. */
  private Future<OutputProtected> agree(LocalRun run, DatasetRecord record, Part.Done done, Throwable failure) {
    int id = done.datasetId();
    if (failure != null) {
      warn("dataset {} is not protected here", id, failure);
    }
    long since = loop.traces().now();
    return loop.traces().span(awaitNodes(run, id, Step.PROTECTED), since,
        run.gather(Step.PROTECTED, done, OutputProtected.class)).compose(all -> {
      protection.done(id);
      copies.goOn();                                     // all are protected: what else follows is not the phase's
      boolean wait = record.flush() == FlushState.WANTED && !run.info().policy().flush().background();
      return wait ? flushed(run, record).map(all) : Future.succeededFuture(all);
    });
  }

  private static void warn(String what, int id, Throwable failure) {
    if (failure instanceof ScrException e) {
      LOG.warn(what + ": {}", id, e.getMessage());
    } else {
      LOG.warn(what, id, failure);
    }
  }

  /**
   * Waits for the flush. The dataset is complete already: what goes wrong with the waiting does not make it less so.
   */
  private Future<DatasetRecord> flushed(LocalRun run, DatasetRecord record) {
    return run.gather(Step.FLUSHED, done(record.descriptor().id(), null)).map(record)
        .recover(failure -> run.isOver() ? Future.failedFuture(failure) : Future.succeededFuture(record));
  }

  static Part.Done done(int id, Throwable failure) {
    return done(id, failure, false);
  }

  private static Part.Done done(int id, Throwable failure, boolean sync) {
    return switch (failure) {
      case null -> new Part.Done(id, 0, "", sync);
      case ScrException e -> new Part.Done(id, e.fault().number(), e.getMessage());
      default -> new Part.Done(id, Fault.INTERNAL.number(), failure.toString());
    };
  }

  /**
   * Drops a dataset that could not be completed. Without a filemap it is garbage; one with a filemap stays if nobody
   * knows how the others have decided.
   */
  private Future<OutputProtected> discard(LocalRun run, int id, Throwable failure) {
    Fault fault = failure instanceof ScrException e ? e.fault() : Fault.INTERNAL;
    boolean undecided = run.isOver() || run.isUnheard() || fault == Fault.NODE_LOST || fault == Fault.RANK_LOST;
    boolean goesOn = fault == Fault.RANKS_DISAGREE && !run.isOver();
    Optional<DatasetRecord> kept = undecided ? store.find(id) : Optional.empty();
    kept.ifPresentOrElse(record -> stable.undecided(run.info(), record.descriptor()), () -> {
      if (!goesOn) {
        keeper.drop(id);
      }
    });
    return Future.failedFuture(failure);
  }

  /** The run is over before its time. Its ranks here may not have begun to write, as those of other nodes have. */
  public void over(LocalRun run) {
    run.cache().toSecure().ifPresent(_ ->
        run.info().restart().ifPresent(restart -> stable.unsecured(run.info(), restart.key())));
  }

  /** Throws away what the last run was writing when it ended, once; its processes are gone now. */
  public void forget(LocalRun last) {
    OpenDataset open = last.open();
    if (open == null || open.isBypass() || last == forgotten) {
      return;
    }
    int id = open.descriptor().id();
    if (id != completing && store.find(id).isEmpty()) {
      forgotten = last;
      keeper.drop(id);
    }
  }
}
