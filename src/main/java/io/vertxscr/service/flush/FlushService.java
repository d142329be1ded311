package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.Entry;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.container.ContainerCopy;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.copy.container.PackedRanks;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Flushing.Entries;
import io.vertxscr.protocol.node.Flushing.EntriesOf;
import io.vertxscr.protocol.node.Flushing.Flushed;
import io.vertxscr.protocol.node.Flushing.MapPart;
import io.vertxscr.protocol.node.Flushing.Mapped;
import io.vertxscr.protocol.node.Flushing.Measured;
import io.vertxscr.protocol.node.Flushing.Packing;
import io.vertxscr.protocol.node.Flushing.Renamed;
import io.vertxscr.protocol.node.Flushing.Sizes;
import io.vertxscr.protocol.node.Flushing.Work;
import io.vertxscr.protocol.node.Flushing.Worked;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Restoring.Layout;
import io.vertxscr.protocol.node.Restoring.LayoutOf;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.cache.CacheEvictor;
import io.vertxscr.service.container.Packings;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The node's part in a flush (docs/flows/flush.md). Every step can be repeated. On the node's loop. */
public final class FlushService {
  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final CacheEvictor keeper;
  private final Packings packings;
  private final Map<Integer, Future<?>> inTurn = new HashMap<>();
  private final Set<PacedCopies> underWay = new HashSet<>();
  private long yieldEndNs;

  /** Flushes for a node. */
  public FlushService(Loop loop, NodeBus bus, String self, DatasetStore store, CacheEvictor keeper) {
    this.loop = loop;
    this.yieldEndNs = loop.nanoTime();
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.keeper = keeper;
    this.packings = new Packings(self);
  }

  /**
   * Serializes the steps of a dataset. Copies of an earlier attempt or leader may still be in progress on the same
   * drafts.
   */
  private <T> Future<T> inTurn(int datasetId, Supplier<Future<T>> step) {
    Future<?> before = inTurn.getOrDefault(datasetId, Future.succeededFuture());
    Future<T> mine = before.transform((_, _) -> step.get());
    inTurn.put(datasetId, mine);
    return mine.onComplete(_ -> inTurn.remove(datasetId, mine));
  }

  private DatasetRecord record(int datasetId) {
    return store.find(datasetId).orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET,
        "node " + self + " does not hold dataset " + datasetId));
  }

  private List<RankFiles> files(DatasetRecord record, List<Integer> ranks) {
    return ranks.stream().map(rank -> record.rank(rank).orElseThrow(() -> new ScrException(Fault.UNKNOWN_RANK,
        "node " + self + " has no files of rank " + rank + " in dataset " + record.descriptor().id())).files())
        .toList();
  }

  private FlushCopy target(DatasetRecord record) {
    int id = record.descriptor().id();
    return new FlushCopy(paths(record), id, store.directory(id)).compressing(record.origin().flush().compression())
        .resuming(self + " dataset " + id + " of " + record.descriptor().createdUs());
  }

  private FlushTarget target(DatasetRecord record, Packing packing, PackedRanks packed) {
    int id = record.descriptor().id();
    return new ContainerCopy(
        id, ContainerDrafts.directory(paths(record), id, packing.layout()), store.directory(id), packed);
  }

  private static PrefixPaths paths(DatasetRecord record) {
    return new PrefixPaths(Path.of(record.origin().prefix()));
  }

  /** Sums up the ranks' files. */
  public Future<Measured> measure(Work work) {
    long bytes = files(record(work.datasetId()), work.ranks()).stream().mapToLong(RankFiles::bytes).sum();
    return Future.succeededFuture(new Measured(work.datasetId(), work.attempt(), bytes));
  }

  /** Copies the ranks' files to drafts beside their final paths. A failure deletes the drafts of this node. */
  public Future<Worked> copy(Work work) {
    return inTurn(work.datasetId(), () -> copyNow(work));
  }

  private Future<Worked> copyNow(Work work) {
    DatasetRecord record = record(work.datasetId());
    return loop.blocking("look for the prefix directory of dataset " + work.datasetId(), () -> {
      Publication.requirePrepared(paths(record), work.datasetId());
      return record;
    }).compose(_ -> copyNow(work, record));
  }

  private Future<Worked> copyNow(Work work, DatasetRecord record) {
    List<RankFiles> ranks = files(record, work.ranks());
    Optional<PackedRanks> packed =
        work.packing().map(packing -> packings.begin(work.datasetId(), packing, ranks));
    FlushTarget target = packed.<FlushTarget>map(there -> target(record, work.packing().orElseThrow(), there))
        .orElseGet(() -> target(record));
    boolean copied = work.packing().filter(Packing::copied).isPresent();
    PacedCopies copies = new PacedCopies(loop, bus, self, work, copied ? List.of() : target.extents(ranks));
    copies.yieldUntil(yieldEndNs);
    underWay.add(copies);
    return copies.run().onComplete(_ -> underWay.remove(copies)).transform((_, failure) -> {
      if (failure == null) {
        long mapBytes = ranks.stream().mapToLong(rank -> packed
            .map(there -> RankFileMapFile.entryBytes(there.entry(rank.rank())))
            .orElseGet(() -> RankFileMapFile.entryBytes(expected(record, rank)))).sum();
        return Future.succeededFuture(new Worked(work.datasetId(), work.attempt(), mapBytes));
      }
      if (Fault.of(failure) == Fault.STOPPING || Fault.of(failure) == Fault.NOT_LEADER) {
        return Future.failedFuture(failure);              // the next attempt goes on with what is there
      }
      List<FileMeta> all = ranks.stream().flatMap(rank -> rank.files().stream()).toList();
      return loop.<Worked>blocking("discard drafts of dataset " + work.datasetId(), () -> {
        target.discard(all);
        return null;
      }).transform((_, _) -> Future.failedFuture(failure));
    });
  }

  /** About what the map will say of a rank. */
  private static Entry expected(DatasetRecord record, RankFiles rank) {
    return record.origin().flush().compression().isEmpty() ? Entry.of(rank)
        : compressed(rank, rank.files().stream().map(FileMeta::bytes).toList());
  }

  private static Entry compressed(RankFiles rank, List<Long> storedBytes) {
    return new Entry(rank.rank(), IntStream.range(0, rank.files().size()).mapToObj(i ->
        FlushedFile.of(rank.files().get(i)).compressed(storedBytes.get(i))).toList());
  }

  /** A phase begins on this node: background copies yield to it, for a limited time. */
  public void standBack() {
    yieldEndNs = loop.nanoTime() + Limits.MAX_FLUSH_YIELD_MS * 1_000_000;
    underWay.forEach(copies -> copies.yieldUntil(yieldEndNs));
  }

  /** The phase is over. */
  public void goOn() {
    yieldEndNs = loop.nanoTime();
    underWay.forEach(copies -> copies.yieldUntil(yieldEndNs));
  }

  /** Copies no further; what is copied will be found when this node, or another leader, goes on with it. */
  public void stop(ScrException cause) {
    List.copyOf(underWay).forEach(copies -> copies.end(cause));
  }

  /** Renames the drafts; the leader knows that all nodes have theirs. */
  public Future<Renamed> publish(Work work) {
    return inTurn(work.datasetId(), () -> publishNow(work));
  }

  private Future<Renamed> publishNow(Work work) {
    DatasetRecord record = record(work.datasetId());
    List<FileMeta> all = files(record, work.ranks()).stream().flatMap(rank -> rank.files().stream()).toList();
    return loop.blocking("publish dataset " + work.datasetId(), () -> {
      Publication.requirePrepared(paths(record), work.datasetId());
      return new Renamed(work.datasetId(), work.attempt(), target(record).publish(all));
    });
  }

  /** Writes the map parts whose first rank is on this node, with the entries of all holders. */
  public Future<Mapped> map(MapPart part) {
    SortedMap<String, List<Integer>> byHolder = new TreeMap<>();
    for (int i = 0; i < part.holders().size(); i++) {
      byHolder.computeIfAbsent(part.holders().get(i), _ -> new ArrayList<>()).add(part.firstRank() + i);
    }
    List<Future<List<Entry>>> asked = new ArrayList<>();
    byHolder.forEach((node, ranks) -> asked.add(switch (part.form()) {
      case CONTAINERS -> packedEntries(node, part.datasetId(), ranks);
      case COMPRESSED -> bus.ask(node, NodeVerb.FLUSH_SIZES, new EntriesOf(part.datasetId(), ranks), Sizes.class)
          .map(sizes -> IntStream.range(0, ranks.size())
              .mapToObj(i -> compressed(sizes.files().get(i), sizes.storedBytes().get(i))).toList());
      case FILES -> bus.ask(node, NodeVerb.LAYOUT, new LayoutOf(part.datasetId(), ranks), Layout.class)
          .map(layout -> layout.files().stream().map(Entry::of).toList());
    }));
    return Future.all(asked).compose(_ -> loop.blocking("write the map of dataset " + part.datasetId(), () -> {
      List<Entry> entries = asked.stream().flatMap(found -> found.result().stream()).toList();
      PrefixPaths paths = new PrefixPaths(Path.of(part.prefix()));
      new RankMapWriter(paths, part.datasetId(), part.ranks(), part.ranksPerPart())
          .writeEntries(part.firstRank(), entries);
      List<FlushedFile> files =
          entries.stream().flatMap(entry -> entry.files().stream()).filter(file -> !file.shared()).toList();
      return new Mapped(files.size(), files.stream().mapToLong(file -> file.bytes().orElse(0)).sum(),
          files.stream().mapToLong(file -> file.storedBytes().orElse(0)).sum());
    }));
  }

  /** Returns the sizes of these ranks' compressed files, after their publication. */
  public Future<Sizes> sizes(EntriesOf of) {
    DatasetRecord record = record(of.datasetId());
    List<RankFiles> ranks = files(record, of.ranks());
    return loop.blocking("measure what is stored of dataset " + of.datasetId(), () ->
        new Sizes(ranks, ranks.stream().map(target(record)::storedBytes).toList()));
  }

  private Future<List<Entry>> packedEntries(String node, int datasetId, List<Integer> ranks) {
    return bus.ask(node, NodeVerb.FLUSH_ENTRIES, new EntriesOf(datasetId, ranks), Entries.class).map(found -> {
      ContainerLayout layout = new ContainerLayout(found.containerBytes(), found.alignBytes());
      return IntStream.range(0, ranks.size()).mapToObj(i ->
          PackedRanks.entry(layout, found.offsets().get(i), found.files().get(i))).toList();
    });
  }

  /** Returns the map entries of this node's files in the containers of a flush in progress. */
  public Future<Entries> entries(EntriesOf of) {
    return Future.succeededFuture(packings.entries(of));
  }

  private static void clean(FlushTarget target, List<FileMeta> files, boolean drafts) {
    if (drafts) {
      target.discard(files);
    }
    target.removeKept(files);
  }

  /** Records the flush state of a dataset durably; a flushed dataset may be evicted. */
  public Future<Ack> flushed(Flushed flushed) {
    boolean done = flushed.state() == FlushState.DONE;
    boolean gone = flushed.state() == FlushState.NOT_WANTED;
    return loop.blocking("note the flush of dataset " + flushed.datasetId(), () -> {
      store.find(flushed.datasetId()).filter(found -> gone == (found.flush() == FlushState.DONE)).ifPresent(record -> {
        if (done) {
          if (record.origin().flush().containers().isEmpty()) {
            record.ranks().forEach(rank -> clean(target(record), rank.files().files(), flushed.discard()));
          }
        }
        store.update(flushed.datasetId(), record.descriptor().createdUs(), held ->
            held.with(flushed.state()));
      });
      return Ack.ACK;
    }).onSuccess(_ -> {
      if (done) {
        packings.end(flushed.datasetId());
        keeper.flushed(flushed.datasetId());
      }
    });
  }
}
