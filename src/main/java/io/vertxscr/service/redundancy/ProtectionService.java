package io.vertxscr.service.redundancy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.SmallRank;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.redundancy.ChecksumsReply;
import io.vertxscr.protocol.node.redundancy.ChecksumsRequest;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.redundancy.SetsCommitted;
import io.vertxscr.protocol.node.redundancy.SetsToUse;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.redundancy.EncodeJob;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.PieceChecksums;
import io.vertxscr.redundancy.RangeChecksums;
import io.vertxscr.redundancy.range.KnownLayouts;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangesInMemory;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.TraceScope;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.RankInMemory;
import io.vertxscr.storage.Sealing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects a dataset on this node. Gets the layouts of the set members, pulls and folds, exchanges checksums, seals the
 * redundancy files and writes the filemap. Members do not wait for each other but for the checksums at the end, and
 * with RS for the parity that others compute for them: asked for with the checksums, pulled by jobs that are started
 * when it is finished. No job waits for another one. On the node's loop.
 */
public final class ProtectionService {
  private static final Logger LOG = LoggerFactory.getLogger(ProtectionService.class);
  /** Name of the span of a node's part of a phase. */
  public static final String SPAN = "protect";
  /** Rounds that late askers may still ask about. */
  private static final int ROUNDS_KEPT = 8;
  /**
   * In which all nodes begin to protect an older dataset: they are told at the same time. Ends amid an attempt of who
   * asks, not between two of ten seconds each, so that the refusal is heard.
   */
  private static final long ALL_BEGIN_MS = 25_000;

  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final RangeSources sources;
  private final UnreadDatasets unread;
  private final Map<RoundKey, Round> rounds = new LinkedHashMap<>();
  /** Protections here that wait for the checksums of others. */
  private final Map<Promise<ChecksumsReply>, Long> waiting = new LinkedHashMap<>();
  private final Map<DatasetKey, Prepared> prepared = new HashMap<>();
  /** Ranks of which something is here although they are on other nodes, by the last commit. */
  private final Map<DatasetKey, List<Integer>> elsewhere = new HashMap<>();
  /** The newest attempt to protect an older dataset: only what it makes is committed. */
  private final Map<DatasetKey, Long> attempts = new HashMap<>();
  private long attempt;
  private Over over = new Over(0, new ScrException(Fault.NO_SUCH_DATASET, "no run has begun"));

  /** Redundancy that is made and not used yet. @param round of the request */
  private record Prepared(long round, DatasetRecord record) {}

  /** @param round 0: in a phase of the run */
  private record RoundKey(int datasetId, long run, long round) {}

  /** What this node tells others, as soon as it knows. */
  private static final class Round {
    private final Promise<ChecksumsReply> told;
    private boolean begun;

    Round(Promise<ChecksumsReply> told) {
      this.told = told;
    }
  }

  /** Runs up to this one are over here: nobody waits for their protections, nor is told of them. */
  private record Over(long run, ScrException cause) {}

  /** Whether there is room for what protection takes on this node. */
  @FunctionalInterface
  public interface RoomCheck {
    /**
     * Looks whether files, which exist already, and redundancy fit into their store together. Blocking.
     *
     * @throws ScrException NO_SPACE
     */
    void require(long fileBytes, long redundancyBytes);
  }

  /** An encode job of one rank, with the name of the file that it writes (empty where there is none). */
  private record Encoding(EncodePlan plan, EncodeJob job, Optional<String> name, List<RangeChecksums> ranges) {}

  /** Protects for a node. */
  public ProtectionService(Loop loop, NodeBus bus, String self, DatasetStore store, RangeSources sources,
      UnreadDatasets unread) {
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.sources = sources;
    this.unread = unread;
  }

  /**
   * Protects the dataset of a phase; completes when the filemap is durable. Without redundancy no file is read, where
   * it can be known again without: its checksum comes later ({@link UnreadDatasets}).
   *
   * @param reads whether all checksums are to be known at once
   */
  public Future<DatasetRecord> protect(ProtectionJob job, RoomCheck room, boolean reads) {
    TraceScope at = loop.traces().phase(job.run(), job.id()).child(Step.COMPLETE_OUTPUT.title()).child(SPAN);
    return job.scheme() == Scheme.SINGLE && !reads ? withoutReading(job, room, true, at)
        : prepare(job, room, true, at);
  }

  /** Small files of ranks here that go to other nodes, for their redundancy files, by node. */
  public Map<String, List<SmallRank>> shared(
      RankMap map, CheckpointDescriptor how, ProtectionJob.Sets sets, Map<Integer, RankInMemory> small) {
    return sets.shared(map, how.redundancy().scheme(), small, self);
  }

  /** Protects this node's part of an older dataset under a new rank map. The filemap changes only at commit. */
  public Future<Ack> protect(ProtectRequest request) {
    DatasetRecord held = store.find(request.datasetId()).orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET,
        "node " + self + " does not hold dataset " + request.datasetId()));
    List<RankRecord> here = request.map().ranksOn(self).stream().map(rank -> held.rank(rank).orElseThrow(() ->
        new ScrException(Fault.UNKNOWN_RANK, "node " + self + " has no files of rank " + rank))).toList();
    CheckpointDescriptor how = request.groups().among(request.map().nodes(), held.redundancy().how());
    ProtectionJob.Sets sets = ProtectionJob.Sets.of(request.map(), held.scheme(), how, request.groups());
    DatasetRecord wanted = held.with(held.redundancy().with(sets.count()), held.ranks());
    DatasetKey which = held.descriptor().key();
    long number = ++attempt;
    attempts.put(which, number);
    elsewhere.remove(which);
    return discardPrepared(which)
        .compose(_ -> {
          ProtectionJob job = new ProtectionJob(wanted, request.run(), request.map(), sets, request.round(),
              here.stream().map(RankRecord::files).toList(),
              here.stream().collect(Collectors.toMap(rank -> rank.files().rank(), RankRecord::seals)), Map.of());
          return job.scheme() == Scheme.SINGLE ? withoutReading(job, (_, _) -> {}, false, TraceScope.NONE)
              : prepare(job, (_, _) -> {}, false, TraceScope.NONE);
        })
        .compose(record -> attempts.getOrDefault(which, 0L) == number ? Future.succeededFuture(record)
            : discard(which, record).compose(_ -> Future.failedFuture(inAnotherWay(which))))
        .map(record -> {
          attempts.remove(which);
          prepared.put(which, new Prepared(request.round(), record));
          prepared.keySet().removeIf(other -> store.find(other.id()).filter(still ->
              still.descriptor().key().equals(other)).isEmpty());   // nobody will commit what has been evicted
          return Ack.ACK;
        });
  }

  /**
   * Uses what {@link #protect(ProtectRequest)} has made. What is here of ranks that are elsewhere now stays until all
   * nodes do so: a node that has not heard of it has no redundancy of these ranks yet.
   *
   * @return fails with BUSY where this node makes others by now
   */
  public Future<Ack> commit(SetsToUse sets) {
    DatasetKey which = sets.dataset();
    Prepared made = prepared.get(which);
    if (made == null ? attempts.containsKey(which) : made.round() != sets.round()) {
      return Future.failedFuture(inAnotherWay(which));
    }
    if (made == null) {
      return Future.succeededFuture(Ack.ACK);             // done already, or this node has no ranks any more
    }
    prepared.remove(which);
    DatasetRecord record = made.record();
    return loop.blocking("use new redundancy of dataset " + which.id(), () -> {
      // it may have been evicted meanwhile, and must not come back without its files
      List<RankRecord> stay = new ArrayList<>();
      store.update(which, held -> {
        stay.clear();
        held.ranks().stream().filter(rank -> record.rank(rank.files().rank()).isEmpty()).forEach(stay::add);
        return held.with(record.redundancy(), Stream.concat(record.ranks().stream(), stay.stream())
            .sorted(Comparator.comparingInt(rank -> rank.files().rank())).toList());
      });
      store.endLoans(which.id());
      return stay.stream().map(rank -> rank.files().rank()).toList();
    }).map(stay -> {
      elsewhere.put(which, stay);
      return Ack.ACK;
    });
  }

  /** All nodes use their new redundancy. Where the run is over here, another one may want these files by now. */
  public Future<Ack> committed(SetsCommitted sets) {
    DatasetKey which = sets.dataset();
    List<Integer> ranks = elsewhere.remove(which);
    if (ranks == null || ranks.isEmpty() || sets.run() <= over.run()) {
      return Future.succeededFuture(Ack.ACK);
    }
    return loop.blocking("give up old parts of dataset " + which.id(), () -> {
      store.update(which, held -> held.with(held.ranks().stream()
          .filter(rank -> !ranks.contains(rank.files().rank())).toList()));
      return Ack.ACK;
    });
  }

  /** What an earlier attempt has made, and nobody will commit any more. */
  private Future<Void> discardPrepared(DatasetKey which) {
    Prepared stale = prepared.remove(which);
    return stale == null ? Future.succeededFuture() : discard(which, stale.record());
  }

  private static ScrException inAnotherWay(DatasetKey which) {
    return new ScrException(Fault.BUSY, "dataset " + which.id() + " is being protected in another way by now");
  }

  private Future<Void> discard(DatasetKey which, DatasetRecord stale) {
    return loop.blocking("discard redundancy of dataset " + which.id(), () -> {
      for (RankRecord rank : stale.ranks()) {
        if (rank.redundancy().isPresent()) {
          Files.deleteIfExists(store.directory(which.id()).resolve(rank.redundancy().get()));
        }
      }
      store.endLoans(which.id());
      return null;
    });
  }

  private Future<DatasetRecord> withoutReading(ProtectionJob job, RoomCheck room, boolean save, TraceScope at) {
    return loop.blocking("complete dataset " + job.id(), () -> noted(job, room, save)).compose(done ->
        done.map(Future::succeededFuture).orElseGet(() -> prepare(job, room, save, at)));
  }

  /** Returns the filemap with what its files are known by; empty where they have to be read. */
  private Optional<DatasetRecord> noted(ProtectionJob job, RoomCheck room, boolean save) {
    List<RankRecord> ranks = new ArrayList<>();
    for (RankFiles files : job.mine()) {
      RankInMemory small = job.small().get(files.rank());
      Optional<RankFiles> known = small != null ? Optional.of(small.files()) : store.unread(job.id(), files);
      if (known.isEmpty()) {
        return Optional.empty();
      }
      ranks.add(new RankRecord(known.get(), job.sets().of(files.rank()), Optional.empty())
          .with(sealsOf(job, files.rank()).withoutRedundancy()));
    }
    if (!job.isEmpty()) {
      room.require(job.fileBytes(), 0);
    }
    return Optional.of(saved(job.dataset().with(ranks), save));
  }

  private static RankSeals sealsOf(ProtectionJob job, int rank) {
    return job.seals().getOrDefault(rank, RankSeals.NONE);
  }

  private DatasetRecord saved(DatasetRecord record, boolean save) {
    if (save) {
      store.save(record);
    }
    return record;
  }

  private Future<DatasetRecord> prepare(ProtectionJob job, RoomCheck room, boolean save, TraceScope at) {
    KnownLayouts layouts = new KnownLayouts(store::neighbour);
    job.mine().forEach(layouts::files);
    job.small().values().forEach(small -> layouts.files(small.files()));
    if (job.isEmpty() || job.isInMemory(self)) {
      return loop.blocking("protect dataset " + job.id(), () -> atOnce(job, layouts.files(), room, save, at));
    }
    Round round = round(new RoundKey(job.id(), job.run(), job.round()));
    round.begun = true;
    return layouts(job, layouts)
        .compose(_ -> encode(job, layouts, room, at))
        .onFailure(round.told::tryFail)
        .compose(encodings -> {
          round.told.tryComplete(new ChecksumsReply(encodings.stream().flatMap(e -> e.ranges().stream()).toList(),
              encodings.stream().flatMap(e -> e.job().finished().stream()).toList()));
          return loop.traces().span(at.child("await checksums"), loop.traces().now(), checksums(job))
              .compose(told -> pull(at, job, encodings, layouts, told.parities()).compose(_ -> loop.blocking(
                  "seal dataset " + job.id(), () -> seal(job, layouts.files(), encodings, told.ranges(), save))))
              .onFailure(_ -> giveUp(job, encodings));
        });
  }

  /** Nobody waits for it: the disk may hang. */
  private void giveUp(ProtectionJob job, List<Encoding> encodings) {
    loop.blocking("give up the protection of dataset " + job.id(), () -> {
      encodings.forEach(encoding -> encoding.job().close());
      return null;
    }).onFailure(e -> LOG.info("dataset {}: {}", job.id(), e.getMessage()));
  }

  /** Nothing is needed of other nodes: redundancy, headers and filemap in one step. */
  private DatasetRecord atOnce(
      ProtectionJob job, Map<Integer, RankFiles> layouts, RoomCheck room, boolean save, TraceScope at) {
    RangeSource source = new RangesInMemory(job.small(), request -> {
      throw new ScrException(Fault.INTERNAL, "not in memory: " + request);
    });
    if (!job.isEmpty()) {
      room.require(job.fileBytes(), job.redundancyBytes(layouts));
    }
    int generation = store.createGeneration(job.id());
    List<Encoding> encodings = new ArrayList<>();
    try {
      job.mine().forEach(files -> encodings.add(encode(job.plan(files.rank(), layouts), source, generation, at)));
      return seal(job, layouts, encodings, List.of(), save);
    } finally {
      encodings.forEach(encoding -> encoding.job().close());
    }
  }

  private Future<Void> layouts(ProtectionJob job, KnownLayouts layouts) {
    List<Future<LayoutReply>> asked = new ArrayList<>();
    job.layoutsNeeded(self).forEach((node, ranks) -> asked.add(
        bus.ask(node, NodeVerb.LAYOUT, new LayoutRequest(job.id(), ranks), LayoutReply.class)
            .map(layout -> {
              Answers.of(ranks, layout.files()).forEach(layouts::files);
              layouts.store(node, layout.store());
              return layout;
            })));
    return Future.all(asked).mapEmpty();
  }

  private Future<List<Encoding>> encode(ProtectionJob job, KnownLayouts layouts, RoomCheck room, TraceScope at) {
    RangeSource source = new RangesInMemory(job.small(), sources.of(layouts, Fault.FILE_CHANGED));
    Future<Integer> begun = loop.blocking("begin protection of dataset " + job.id(), () -> {
      room.require(job.fileBytes(), job.redundancyBytes(layouts.files()));
      return store.createGeneration(job.id());
    });
    return begun.compose(generation -> {
      List<Future<Encoding>> jobs = job.mine().stream().map(files -> loop.blocking(
          "encode dataset " + job.id() + " rank " + files.rank(),
          () -> encode(job.plan(files.rank(), layouts.files()), source, generation, at))).toList();
      return Future.join(jobs).<List<Encoding>>mapEmpty().transform((_, failure) -> {
        List<Encoding> done = jobs.stream().filter(Future::succeeded).map(Future::result).toList();
        if (failure != null) {
          giveUp(job, done);
          return Future.failedFuture(failure);
        }
        return Future.succeededFuture(done);
      });
    });
  }

  private Encoding encode(EncodePlan plan, RangeSource source, int generation, TraceScope at) {
    if (at.isNone()) {
      return encode(plan, source, generation);
    }
    TraceScope scope = at.child("encode", plan.rank()).with("scr.rank", plan.rank())
        .with("scr.redundancy.scheme", plan.scheme().name());
    return TimedRanges.encode(loop.traces(), scope, source, timed -> encode(plan, timed, generation));
  }

  private Encoding encode(EncodePlan plan, RangeSource source, int generation) {
    String name = RedundancyFiles.name(generation, plan.scheme(), plan.set(), plan.rank());
    int id = plan.descriptor().id();
    Path target = store.directory(id).resolve(name);
    if (plan.writesRedundancy()) {
      store.takeRecycled(id, target);
    }
    EncodeJob job = new EncodeJob(plan, source, target, store.syncs(id));
    try {
      if (!job.parityFrom().isEmpty()) {
        store.takeRecycledLent(id, job.lent());
      }
      List<RangeChecksums> ranges = job.run();
      job.finished().ifPresent(_ -> store.lend(id, plan.rank(), job.lent()));
      return new Encoding(plan, job, plan.writesRedundancy() ? Optional.of(name) : Optional.empty(), ranges);
    } catch (RuntimeException e) {
      job.close();
      throw e;
    }
  }

  private Future<ChecksumsReply> checksums(ProtectionJob job) {
    if (job.run() <= over.run) {                          // who has begun anew since would never answer
      return Future.failedFuture(over.cause);
    }
    List<Future<ChecksumsReply>> asked = new ArrayList<>();
    job.checksumsNeeded().forEach((node, request) -> asked.add(
        node.equals(self) ? checksums(request) : bus.ask(node, NodeVerb.CHECKSUMS, request, ChecksumsReply.class)));
    return whileOn(job.run(), Future.all(asked).map(_ -> new ChecksumsReply(
        asked.stream().flatMap(f -> f.result().ranges().stream()).toList(),
        asked.stream().flatMap(f -> f.result().parities().stream()).toList())));
  }

  /** Others may never begin what has begun here. The leader was lost, or the run was over, before they knew of it. */
  private Future<ChecksumsReply> whileOn(long run, Future<ChecksumsReply> told) {
    Promise<ChecksumsReply> first = loop.promise();
    waiting.put(first, run);
    told.onComplete((reply, failure) -> {
      waiting.remove(first);
      if (failure == null) {
        first.tryComplete(reply);
      } else {
        first.tryFail(failure);
      }
    });
    return first.future();
  }

  /** Pulls what others have computed for the ranks here. It is finished there, so there is no deadlock. */
  private Future<Void> pull(TraceScope at,
      ProtectionJob job, List<Encoding> encodings, KnownLayouts layouts, List<FinishedParity> parities) {
    parities.forEach(parity -> layouts.parity(parity.rank(), parity.name()));
    RangeSource source = sources.of(layouts, Fault.FILE_CHANGED);
    return Future.join(encodings.stream().filter(encoding -> !encoding.job().parityFrom().isEmpty()).map(encoding ->
        loop.blocking("pull parity of dataset " + job.id() + " rank " + encoding.plan().rank(), () -> {
          TraceScope scope = at.child("pull parity", encoding.plan().rank()).with("scr.rank", encoding.plan().rank());
          return TimedRanges.<Void>encode(loop.traces(), scope, source, timed -> {
            encoding.job().pull(parities, timed);
            return null;
          });
        })).toList()).mapEmpty();
  }

  /** All nodes have protected the dataset: parity computed here for others is obsolete. */
  public void done(int datasetId) {
    if (!store.lends(datasetId)) {
      return;
    }
    loop.blocking("recycle parity of dataset " + datasetId, () -> {
      store.endLoans(datasetId);
      return null;
    }).onFailure(e -> LOG.info("parity of dataset {} cannot be recycled: {}", datasetId, e.getMessage()));
  }

  private DatasetRecord seal(ProtectionJob job, Map<Integer, RankFiles> layouts, List<Encoding> encodings,
      List<RangeChecksums> ranges, boolean save) {
    Map<Integer, RankFiles> checked = new HashMap<>();
    for (int owner : job.ownersNeeded()) {
      RankFiles files = layouts.getOrDefault(owner, new RankFiles(owner, List.of()));
      checked.put(owner, job.small().containsKey(owner) ? files
          : asKnown(files, PieceChecksums.combine(files, ranges)));
    }
    List<RankFiles> all = List.copyOf(checked.values());
    Sealing sealing = store.sealing(job.id(), loop.clock().instant());
    Path directory = store.directory(job.id());
    List<RankRecord> ranks = new ArrayList<>();
    for (Encoding encoding : encodings) {
      int rank = encoding.plan().rank();
      encoding.job().seal(all);
      encoding.job().close();
      ranks.add(new RankRecord(checked.get(rank), encoding.plan().set(), encoding.name(), encoding.job().parityCrc(),
          sealing.seals(sealing.valid(sealsOf(job, rank)).files(), encoding.name().flatMap(name ->
              sealing.made(NodeDirectories.resolve(directory, name))))));
    }
    return saved(job.dataset().with(ranks), save);
  }

  /** Files of an older dataset have checksums: bytes that have changed since must not get new ones. */
  private static RankFiles asKnown(RankFiles known, RankFiles read) {
    for (int i = 0; i < known.files().size(); i++) {
      FileMeta file = known.files().get(i);
      if (file.crc().isPresent() && !file.crc().equals(read.files().get(i).crc())) {
        throw new ScrException(Fault.CORRUPT, "rank " + known.rank() + ": " + file.name()
            + " has other bytes than it had when it was protected before");
      }
    }
    return read;
  }

  /**
   * Returns the checksums computed in a round; completes after its reads. Fails with BUSY where this node has not begun
   * to protect an older dataset in time; in a phase, whose ranks come when they like, the question waits for the run.
   */
  public Future<ChecksumsReply> checksums(ChecksumsRequest request) {
    if (request.run() <= over.run) {
      return Future.failedFuture(over.cause);
    }
    RoundKey key = new RoundKey(request.datasetId(), request.run(), request.round());
    boolean first = !rounds.containsKey(key);
    Round round = round(key);
    if (first && key.round() > 0) {
      loop.after(ALL_BEGIN_MS, () -> expire(key, round));
    }
    return round.told.future().map(all -> new ChecksumsReply(
        all.ranges().stream().filter(range -> request.owners().contains(range.ownerRank())).toList(),
        all.parities().stream().filter(parity -> request.parityFrom().contains(parity.rank())).toList()));
  }

  /**
   * Returns the layouts of these ranks, registered or from the filemap. Those from a filemap have checksums, for which
   * files are read now that nobody has read: who asks will copy them, or publish what is known of them.
   */
  public Future<LayoutReply> layout(LayoutRequest request) {
    return unread.known(request.datasetId(), request.ranks()).map(_ ->
        new LayoutReply(request.ranks().stream().map(rank -> layout(request.datasetId(), rank)).toList(),
            store.cache(request.datasetId()).base()));
  }

  private RankLayout layout(int datasetId, int rank) {
    RankFiles files = store.files(datasetId, rank).orElseThrow(() -> new ScrException(Fault.UNKNOWN_RANK,
        "node " + self + " has no files of rank " + rank + " in dataset " + datasetId)).files();
    return new RankLayout(files,
        store.find(datasetId).flatMap(record -> record.rank(rank)).flatMap(RankRecord::redundancy));
  }

  /** This node was restarted after it had been told to protect the dataset: it would never begin. */
  private void expire(RoundKey key, Round round) {
    if (!round.begun && rounds.remove(key, round)) {
      round.told.tryFail(new ScrException(Fault.BUSY,
          "node " + self + " does not know that dataset " + key.datasetId() + " is being protected again"));
    }
  }

  private Round round(RoundKey key) {
    Round round = rounds.computeIfAbsent(key, _ -> new Round(loop.promise()));
    while (rounds.size() > ROUNDS_KEPT) {
      RoundKey oldest = rounds.keySet().iterator().next();
      rounds.remove(oldest).told.tryFail(new ScrException(Fault.NO_SUCH_DATASET, "the protection of dataset "
          + oldest.datasetId() + " was given up"));
    }
    return round;
  }

  /** A run is over, and all before it. Callers that wait for checksums hear why. */
  public void over(long run, ScrException cause) {
    if (run > over.run) {
      over = new Over(run, cause);
    }
    rounds.entrySet().removeIf(round -> {
      boolean ends = round.getKey().run() <= run;
      if (ends) {
        round.getValue().told.tryFail(cause);
      }
      return ends;
    });
    List.copyOf(waiting.entrySet()).stream().filter(wait -> wait.getValue() <= run)
        .forEach(wait -> wait.getKey().tryFail(cause));
    waiting.values().removeIf(of -> of <= run);
  }
}
