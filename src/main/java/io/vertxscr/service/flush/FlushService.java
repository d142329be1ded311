package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.OwnDrafts;
import io.vertxscr.prefix.copy.container.PackedRanks;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.LockTrial;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.container.EntriesReply;
import io.vertxscr.protocol.node.container.EntriesRequest;
import io.vertxscr.protocol.node.flush.CompressedSizes;
import io.vertxscr.protocol.node.flush.CompressedSizesRequest;
import io.vertxscr.protocol.node.flush.DraftsRenamed;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.protocol.node.flush.FlushWork;
import io.vertxscr.protocol.node.flush.FlushWorked;
import io.vertxscr.protocol.node.flush.LockTried;
import io.vertxscr.protocol.node.flush.MapPartRequest;
import io.vertxscr.protocol.node.flush.MapPartWritten;
import io.vertxscr.protocol.node.flush.TryLock;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.TraceScope;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.container.AggregateService;
import io.vertxscr.service.copy.PrefixCopies;
import io.vertxscr.storage.DatasetStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node's part in a flush (docs/flows/flush.md). Every step can be repeated. On the node's loop. */
public final class FlushService {
  private static final Logger LOG = LoggerFactory.getLogger(FlushService.class);
  /** Names of the spans of steps. */
  static final String COPY = "copy";
  static final String PUBLISH = "publish";

  private final Loop loop;
  private final Prefixes prefixes;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final CacheEvictor keeper;
  private final PrefixCopies copies;
  private final AggregateService aggregation;
  private final long extentBytes;
  private final OwnDrafts drafts = new OwnDrafts();

  /** Flushes for a node. @param extentBytes larger files are copied in pieces of this size */
  public FlushService(Loop loop, Prefixes prefixes, NodeBus bus, String self, DatasetStore store, CacheEvictor keeper,
      PrefixCopies copies, AggregateService aggregation, long extentBytes) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.copies = copies;
    this.aggregation = aggregation;
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.keeper = keeper;
    this.extentBytes = extentBytes;
    store.whenEvicted(dataset -> loop.later(() -> evicted(dataset)));
  }

  /** A flush was given up, or others did this node's part while it was away. */
  private void evicted(DatasetKey dataset) {
    if (drafts.hasAny(dataset)) {
      copies.inTurn(dataset.id(), () -> loop.prefix().<Void>runLong("remove drafts of dataset " + dataset.id(), () -> {
        drafts.discard(dataset);
        return null;
      })).onFailure(failure -> LOG.info("drafts of dataset {} stay: {}", dataset.id(), failure.getMessage()));
    }
  }

  private FlushCopy target(DatasetRecord record) {
    int id = record.descriptor().id();
    DraftOwner owner = new DraftOwner(record.descriptor().key(), self);
    return new FlushCopy(paths(record), owner, store.directory(id), drafts)
        .compressing(record.origin().flush().compression()).resuming(extentBytes);
  }

  private PrefixPaths paths(DatasetRecord record) {
    return prefixes.of(record).paths();
  }

  /** Tries a lock that the leader holds. */
  public Future<LockTried> tryLock(TryLock request) {
    return loop.prefix().within(PrefixJobs.PATIENCE, prefixes.named(request.prefix())).compose(prefix ->
        loop.prefix().ask(PrefixJobs.PATIENCE, "try the locks of " + request.prefix(), () ->
            new LockTried(LockTrial.isRefused(prefix.paths(), prefix.user()))));
  }

  /** Copies the ranks' files to drafts beside their places. What fails leaves no draft of this node behind. */
  public Future<FlushWorked> copy(FlushWork work) {
    return copies.inTurn(work.datasetId(), () -> copyNow(work));
  }

  private Future<FlushWorked> copyNow(FlushWork work) {
    DatasetRecord record = copies.record(work.datasetId());
    return loop.prefix().run("look for the prefix directory of dataset " + work.datasetId(), () -> {
      Publication.requirePrepared(paths(record), work.datasetId());
      return record;
    }).compose(_ -> takeForm(work, record)).compose(formed -> copyNow(work, formed));
  }

  /** Has the record say the form of this flush. Its files are published, measured and cleaned up in that. */
  private Future<DatasetRecord> takeForm(FlushWork work, DatasetRecord record) {
    FlushDescriptor form = FlushDescriptor.FILES.with(work.compression());
    return record.origin().flush().equals(form) ? Future.succeededFuture(record)
        : loop.blocking("note the form of dataset " + work.datasetId(), () -> {
          store.update(record.descriptor().key(), held -> held.with(form));
          return copies.record(work.datasetId());
        });
  }

  private Future<FlushWorked> copyNow(FlushWork work, DatasetRecord record) {
    List<RankFiles> ranks = copies.files(record, work.ranks());
    FlushCopy target = target(record);
    long bytes = ranks.stream().mapToLong(RankFiles::bytes).sum();
    TraceScope scope = step(record, work, COPY).child("copy files")
        .with("scr.bytes", bytes).with("scr.ranks", ranks.size());
    PrefixCopies.Attempt attempt =
        new PrefixCopies.Attempt(work.datasetId(), work.attempt(), work.background());
    return loop.traces().span(scope, loop.traces().now(), copies.copy(attempt, target, ranks, target.extents(ranks)))
        .map(copied -> new FlushWorked(work.datasetId(), work.attempt(),
            copied.stream().mapToLong(rank -> RankFileMapFile.entryBytes(expected(record, rank))).sum()));
  }

  /** The leader's step that this node's work belongs to. */
  private TraceScope step(DatasetRecord record, FlushWork work, String title) {
    return loop.traces().attempt(record.descriptor().key(), work.attempt(), title);
  }

  /** About what the map will say of a rank. */
  private static RankEntry expected(DatasetRecord record, RankFiles rank) {
    return record.origin().flush().compression().isEmpty() ? RankEntry.of(rank)
        : compressed(rank, rank.files().stream().map(FileMeta::bytes).toList());
  }

  private static RankEntry compressed(RankFiles rank, List<Long> storedBytes) {
    return new RankEntry(rank.rank(), IntStream.range(0, rank.files().size()).mapToObj(i ->
        FlushedFile.of(rank.files().get(i)).compressed(storedBytes.get(i))).toList());
  }

  /** Gives the drafts their names; the leader knows that all nodes have theirs. */
  public Future<DraftsRenamed> publish(FlushWork work) {
    return copies.inTurn(work.datasetId(), () -> publishNow(work));
  }

  private Future<DraftsRenamed> publishNow(FlushWork work) {
    DatasetRecord record = copies.record(work.datasetId());
    List<FileMeta> all = copies.files(record, work.ranks()).stream().flatMap(rank -> rank.files().stream()).toList();
    PrefixToken token = work.token().orElseThrow(() -> new ScrException(
        Fault.BAD_REQUEST, "dataset " + work.datasetId() + ": names are given by a leader's token only"));
    TraceScope scope = step(record, work, PUBLISH).child("publish files").with("scr.files", all.size());
    return loop.traces().span(scope, loop.traces().now(), prefixes.locked().runLong(
        "publish dataset " + work.datasetId() + " in " + record.origin().prefix(), () -> {
      Publication.requirePrepared(paths(record), work.datasetId());
      return new DraftsRenamed(work.datasetId(), work.attempt(), PrefixFence.naming(
          paths(record), prefixes.of(record).as(token).user(), () -> target(record).publish(all)));
    }));
  }

  /** Writes the map parts whose first rank is on this node, with the entries of all holders. */
  public Future<MapPartWritten> map(MapPartRequest part) {
    TraceScope scope = store.find(part.datasetId()).map(record -> loop.traces().flush(record.descriptor().key()))
        .orElse(TraceScope.NONE).child("map part", part.firstRank());
    return loop.traces().span(scope, loop.traces().now(), mapNow(part));
  }

  private Future<MapPartWritten> mapNow(MapPartRequest part) {
    SortedMap<String, List<Integer>> byHolder = new TreeMap<>();
    for (int i = 0; i < part.holders().size(); i++) {
      byHolder.computeIfAbsent(part.holders().get(i), _ -> new ArrayList<>()).add(part.firstRank() + i);
    }
    List<Future<List<RankEntry>>> asked = new ArrayList<>();
    byHolder.forEach((node, ranks) -> asked.add(switch (part.form()) {
      case CONTAINERS -> packedEntries(node, part.datasetId(), ranks);
      case COMPRESSED -> bus.ask(node, NodeVerb.FLUSH_SIZES,
              new CompressedSizesRequest(part.datasetId(), ranks), CompressedSizes.class)
          .map(sizes -> {
            List<RankFiles> files = Answers.of(ranks, sizes.files());
            return IntStream.range(0, ranks.size())
                .mapToObj(i -> compressed(files.get(i), sizes.storedBytes().get(i))).toList();
          });
      case FILES -> bus.ask(node, NodeVerb.LAYOUT, new LayoutRequest(part.datasetId(), ranks), LayoutReply.class)
          .map(layout -> Answers.of(ranks, layout.files()).stream().map(RankEntry::of).toList());
    }));
    return Future.all(asked).compose(_ -> loop.prefix().run("write the map of dataset " + part.datasetId(), () -> {
      List<RankEntry> entries = asked.stream().flatMap(found -> found.result().stream()).toList();
      PrefixPaths paths = prefixes.open(part.prefix()).paths();
      new RankMapWriter(paths, part.datasetId(), part.ranks(), part.ranksPerPart(), Optional.of(part.token()))
          .writeEntries(part.firstRank(), entries);
      List<FlushedFile> files =
          entries.stream().flatMap(entry -> entry.files().stream()).filter(file -> !file.shared()).toList();
      return new MapPartWritten(files.size(), files.stream().mapToLong(file -> file.bytes().orElse(0)).sum(),
          files.stream().mapToLong(file -> file.storedBytes().orElse(0)).sum());
    }));
  }

  /** How long these ranks' compressed files are; they are published. */
  public Future<CompressedSizes> sizes(CompressedSizesRequest of) {
    DatasetRecord record = copies.record(of.datasetId());
    List<RankFiles> ranks = copies.files(record, of.ranks());
    return loop.prefix().runLong("measure what is stored of dataset " + of.datasetId(), () ->
        new CompressedSizes(ranks, ranks.stream().map(target(record)::storedBytes).toList()));
  }

  private Future<List<RankEntry>> packedEntries(String node, int datasetId, List<Integer> ranks) {
    EntriesRequest request = new EntriesRequest(datasetId, ranks);
    return bus.ask(node, NodeVerb.AGGREGATE_ENTRIES, request, EntriesReply.class).map(found -> {
      ContainerLayout layout = new ContainerLayout(found.containerBytes(), found.alignBytes());
      List<RankFiles> files = Answers.of(ranks, found.files());
      return IntStream.range(0, ranks.size()).mapToObj(i ->
          PackedRanks.entry(layout, found.offsets().get(i), files.get(i))).toList();
    });
  }

  /** What another attempt has kept is left to who knows in which form the dataset is published. */
  private static void clean(FlushTarget target, List<FileMeta> files, boolean discard) {
    if (discard) {
      target.discard(files);
    } else {
      target.removeKept(files);
    }
  }

  /** Records the flush state of a dataset durably; a flushed dataset may be evicted. */
  public Future<Ack> flushed(FlushStateChange flushed) {
    int id = flushed.dataset().id();
    boolean done = flushed.state() == FlushState.DONE;
    boolean gone = flushed.state() == FlushState.NOT_WANTED;
    Callable<Ack> note = () -> {
      store.find(id).filter(found -> found.key().equals(flushed.dataset())).ifPresent(record -> {
        if (done) {                                       // also where it was done before, and another node wanted more
          if (record.origin().flush().containers().isEmpty()) {
            record.ranks().forEach(rank -> clean(target(record), rank.files().files(), flushed.discard()));
          }
          drafts.discard(flushed.dataset());
        }
        if (gone == (record.flush() == FlushState.DONE)) {
          store.update(flushed.dataset(), held -> held.with(flushed.state()));
        }
      });
      return Ack.ACK;
    };
    String what = "note the flush of dataset " + id;
    return (done ? loop.prefix().runLong(what, note) : loop.blocking(what, note)).onSuccess(_ -> {
      if (done) {
        aggregation.end(id);
        keeper.flushed(id);
      }
    });
  }
}
