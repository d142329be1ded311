package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.Part;
import io.vertxscr.flow.RankCall;
import io.vertxscr.flow.Step;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.descriptor.CheckpointDescriptor;
import io.vertxscr.model.descriptor.RedundancyDescriptor;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Protected;
import io.vertxscr.protocol.node.Running.Started;
import io.vertxscr.service.Loop;
import io.vertxscr.service.data.CacheKeeper;
import io.vertxscr.service.data.Capacity;
import io.vertxscr.service.data.FlushService;
import io.vertxscr.service.data.ProtectionService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's part in an output phase: start, complete, protect (docs/flows/phase.md). On the node's loop.
 */
public final class PhaseService {
  private static final Logger LOG = LoggerFactory.getLogger(PhaseService.class);

  private final Loop loop;
  private final CallService calls;
  private final ProtectionService protection;
  private final DatasetStore store;
  private final CacheKeeper keeper;
  private final Capacity capacity;
  private final FlushService flushes;
  private final BypassService bypass;
  private final CompletedNames names;
  /** The dataset that is being completed, 0 for none. */
  private int completing;
  private int lastDatasetId;
  /** Of the runs in {@link #counting}. */
  private int lastCheckpointId;
  private String counting = "";

  /** Serves a node. */
  public PhaseService(Loop loop, CallService calls, Data data) {
    this.loop = loop;
    this.calls = calls;
    this.protection = data.protection();
    this.store = data.store();
    this.keeper = data.keeper();
    this.capacity = data.capacity();
    this.flushes = data.flushes();
    this.bypass = new BypassService(loop, calls, store);
    this.names = data.names();
  }

  /** Those who work on the node's datasets. */
  public record Data(DatasetStore store, ProtectionService protection, CacheKeeper keeper, Capacity capacity,
      FlushService flushes, CompletedNames names) {}

  /** What came out of measuring the files of this node's ranks. */
  record Measured(List<RankFiles> ranks, List<Integer> invalid, String why) {
    /** What the leader is told of it. */
    Part.Complete part(int datasetId) {
      return new Part.Complete(datasetId, invalid, why, ranks.stream().mapToLong(r -> r.files().size()).sum(),
          ranks.stream().mapToLong(RankFiles::bytes).sum());
    }
  }

  public Future<CallService.Answers> start(LocalRun run, List<RankCall> ranks) {
    noteKnown(run.info());
    RankCall first = ranks.getFirst();
    return room(run, first.flags()).compose(room -> calls.gather(run, Step.START_OUTPUT,
        new Part.Start(first.name(), first.flags(), lastDatasetId, lastCheckpointId, room))).compose(json -> {
      Started started = json.as(Started.class);
      DatasetDescriptor descriptor = started.descriptor();
      lastDatasetId = descriptor.id();
      flushes.standBack();
      return open(run, started);
    });
  }

  private Future<CallService.Answers> open(LocalRun run, Started started) {
    DatasetDescriptor dataset = started.descriptor();
    CheckpointDescriptor how = how(run.info(), dataset);
    Path prefix = Path.of(run.info().prefix());
    if (how.bypass() || started.bypass()) {
      run.open(OpenDataset.output(dataset, prefix, prefix));
      return Future.succeededFuture(new CallService.Answers(
          _ -> new StartReply(dataset.id(), dataset.name(), prefix.toString()), false));
    }
    store.place(dataset.id(), how.storeBase());
    return keeper.makeRoom(started.evict(), how.storeBase()).map(_ -> {
      run.open(OpenDataset.output(dataset, prefix, store.directory(dataset.id())));
      return new CallService.Answers(rank -> new StartReply(
          dataset.id(), dataset.name(), store.directory(dataset.id(), rank).toString(),
          OptionalInt.of(StartReply.CACHE_NAMES), Optional.empty()), false);
    });
  }

  /** All nodes of the run know the same ids, so each can tell which descriptor the next dataset will have. */
  private Future<Part.Room> room(LocalRun run, int flagBits) {
    if (flagBits < 1 || flagBits > 3) {
      return Future.succeededFuture(Part.Room.ENOUGH);    // refused by the leader, for all
    }
    DatasetFlags flags = DatasetFlags.ofBits(flagBits);
    int checkpointId = flags.checkpoint() ? lastCheckpointId + 1 : 0;
    CheckpointDescriptor how = run.info().policy().descriptors().descriptorFor(flags, checkpointId);
    return how.bypass() ? Future.succeededFuture(Part.Room.ENOUGH)
        : capacity.awaitRoom(run.info(), run.cache(), how, run::isOver);
  }

  private void noteKnown(RunInfo info) {
    lastDatasetId = Math.max(lastDatasetId, Math.max(store.newestId(), info.found().lastDatasetId()));
    lastCheckpointId = Math.max(
        info.prefix().equals(counting) ? lastCheckpointId : 0, info.found().lastCheckpointId());
    counting = info.prefix();
  }

  /**
   * Only now: the number of a checkpoint that failed is given again, so that each so many-th good one is flushed, and
   * protected as the descriptor of its interval says. Its id is not.
   */
  private void noteComplete(LocalRun run, DatasetDescriptor dataset) {
    names.add(run.info().prefix(), dataset.name());
    lastCheckpointId = Math.max(lastCheckpointId, dataset.checkpointId());
  }

  public Future<CallService.Answers> complete(LocalRun run, List<RankCall> ranks) {
    OpenDataset open = run.open();
    int id = open.descriptor().id();
    if (open.isBypass()) {
      return bypass.complete(run, measure(open, ranks)).onComplete(_ -> flushes.goOn())
          .onSuccess(_ -> noteComplete(run, open.descriptor()));
    }
    completing = id;
    return measure(open, ranks)
        .compose(measured -> protect(run, open.descriptor(), measured))
        .onComplete((_, _) -> completing = completing == id ? 0 : completing)
        .onComplete(_ -> flushes.goOn())
        .recover(failure -> discard(run, id, failure))
        .map(complete -> {
          noteComplete(run, open.descriptor());
          run.cache().completed(id);
          keeper.keep(run.cache());
          return CallService.Answers.same(reply(open.descriptor(), complete));
        });
  }

  static CompleteReply reply(DatasetDescriptor dataset, Protected complete) {
    return new CompleteReply(
        dataset.id(), dataset.name(), complete.halt(), complete.exit() && complete.halt().isPresent());
  }

  private Future<Measured> measure(OpenDataset open, List<RankCall> ranks) {
    Map<Integer, RankFiles> routed = new TreeMap<>();
    ranks.forEach(call -> routed.put(call.rank(), open.written(call.rank())));
    List<Integer> invalid = new ArrayList<>(ranks.stream().filter(c -> !c.valid()).map(RankCall::rank).toList());
    String why = invalid.isEmpty() ? "" : "the application says that its files are not valid";
    if (ranks.stream().allMatch(call -> call.files().isEmpty() && routed.get(call.rank()).files().isEmpty())) {
      return Future.succeededFuture(new Measured(List.copyOf(routed.values()), invalid, why));
    }
    Path directory = open.directory();
    return loop.blocking("measure dataset " + open.descriptor().id(), () -> {
      TreeMap<Integer, String> missing = new TreeMap<>();
      List<RankFiles> measured = ranks.stream()
          .map(call -> measured(directory, placed(open, call, routed.get(call.rank()), missing), missing)).toList();
      invalid.addAll(missing.keySet());
      return new Measured(measured, invalid.stream().distinct().sorted().toList(),
          why.isEmpty() && !missing.isEmpty() ? missing.firstEntry().getValue() : why);
    });
  }

  /** The rank's files: those that it routed, or those that it lists; a list that is wrong makes it invalid. */
  private static RankFiles placed(
      OpenDataset open, RankCall call, RankFiles routed, TreeMap<Integer, String> missing) {
    if (call.files().isEmpty()) {
      return routed;
    }
    if (open.isBypass()) {
      missing.put(call.rank(), "it lists files that it has placed itself; past the cache they are placed by route");
      return routed;
    }
    if (!routed.files().isEmpty()) {
      missing.put(call.rank(), "it lists files, and routed others by messages; one phase knows one way");
      return routed;
    }
    try {
      return ListedFiles.check(open.rules(), call.rank(), call.files());
    } catch (ScrException e) {
      missing.put(call.rank(), e.getMessage());
      return routed;
    }
  }

  private static RankFiles measured(Path directory, RankFiles routed, TreeMap<Integer, String> missing) {
    List<FileMeta> files = new ArrayList<>();
    for (FileMeta file : routed.files()) {
      Path path = NodeDirectories.resolve(directory, file.name());
      try {
        PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
        if (found.isRegularFile()) {
          files.add(new FileMeta(
              file.name(), file.path(), found.size(), file.crc(), Optional.of(FileStamps.of(found))));
          continue;
        }
      } catch (IOException _) {
        // as if it were not there
      }
      missing.putIfAbsent(routed.rank(), "it routed " + file.path() + " but wrote no file at " + path);
    }
    return new RankFiles(routed.rank(), files);
  }

  private Future<Protected> protect(LocalRun run, DatasetDescriptor descriptor, Measured measured) {
    measured.ranks().forEach(files -> store.register(descriptor.id(), files));
    return calls.gather(run, Step.COMPLETE_OUTPUT, measured.part(descriptor.id()))
        .compose(json -> {
          DatasetDescriptor known = descriptor.with(json.as(Totals.class));
          RunInfo info = run.info();
          CheckpointDescriptor how = how(info, known);
          Origin origin = new Origin(info.prefix(), info.map().size(),
              info.policy().flush().descriptor().with(info.policy().descriptors().compression(how)));
          DatasetRecord record = new DatasetRecord(known, origin, store.cache(known.id()),
              new RedundancyDescriptor(how, run.sets(how).count()), flushState(info, known), List.of());
          return protection.protect(record, info.map(), run.sets(how), measured.ranks(),
                  (files, redundancy) -> capacity.require(info, how, files, redundancy))
              .transform((saved, failure) -> agree(run, descriptor.id(), saved, failure));
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
  private Future<Protected> agree(LocalRun run, int id, DatasetRecord record, Throwable failure) {
    if (failure != null) {
      if (failure instanceof ScrException e) {
        LOG.warn("dataset {} is not protected here: {}", id, e.getMessage());
      } else {
        LOG.warn("dataset {} is not protected here", id, failure);
      }
    }
    return calls.gather(run, Step.PROTECTED, done(id, failure)).map(json -> json.as(Protected.class)).compose(all -> {
      protection.done(id);
      flushes.goOn();                                     // all are protected: what else follows is not the phase's
      boolean wait = record.flush() == FlushState.WANTED && !run.info().policy().flush().background();
      return wait ? flushed(run, record).map(all) : Future.succeededFuture(all);
    });
  }

  /** The dataset is complete already: what goes wrong with the waiting for its flush does not make it less so. */
  private Future<DatasetRecord> flushed(LocalRun run, DatasetRecord record) {
    return calls.gather(run, Step.FLUSHED, done(record.descriptor().id(), null)).map(record)
        .recover(failure -> run.isOver() ? Future.failedFuture(failure) : Future.succeededFuture(record));
  }

  static Part.Done done(int id, Throwable failure) {
    return switch (failure) {
      case null -> new Part.Done(id, 0, "");
      case ScrException e -> new Part.Done(id, e.fault().number(), e.getMessage());
      default -> new Part.Done(id, Fault.INTERNAL.number(), failure.toString());
    };
  }

  /** A dataset without a filemap is garbage; one with a filemap stays if nobody knows how the others have decided. */
  private Future<Protected> discard(LocalRun run, int id, Throwable failure) {
    Fault fault = failure instanceof ScrException e ? e.fault() : Fault.INTERNAL;
    boolean undecided = run.isOver() || fault == Fault.NODE_LOST || fault == Fault.RANK_LOST;
    boolean goesOn = fault == Fault.RANKS_DISAGREE && !run.isOver();
    if (!goesOn && (!undecided || store.find(id).isEmpty())) {
      keeper.drop(id);
    }
    return Future.failedFuture(failure);
  }

  /** Throws away what the last run was writing when it ended; its processes are gone now. */
  public void forget(LocalRun last) {
    OpenDataset open = last.open();
    if (open == null || open.isBypass()) {
      return;
    }
    int id = open.descriptor().id();
    if (id != completing && store.find(id).isEmpty()) {
      keeper.drop(id);
    }
  }
}
