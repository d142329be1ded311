package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.Entry;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.prefix.copy.DirectFiles;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.copy.FetchCopy.Fetched;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.WrittenDrafts;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.BoundedParallel;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies the files of this node's ranks from the prefix directory into its cache. On the node's loop. */
public final class FetchService {
  private static final Logger LOG = LoggerFactory.getLogger(FetchService.class);

  private final Loop loop;
  private final String self;
  private final DatasetStore store;
  private final Observer observer;
  private Optional<InPlace> inPlace = Optional.empty();

  /** A dataset that is read in the prefix directory: what ranks of this node have there. */
  public record InPlace(DatasetDescriptor dataset, Path prefix, List<RankFiles> ranks) {}

  /** Fetches for a node. */
  public FetchService(Loop loop, String self, DatasetStore store, Observer observer) {
    this.loop = loop;
    this.self = self;
    this.store = store;
    this.observer = observer;
  }

  /** The dataset that was last found whole in the prefix directory to be read there, if it is this one. */
  public Optional<InPlace> inPlace(int datasetId) {
    return inPlace.filter(found -> found.dataset().id() == datasetId);
  }

  /**
   * Completes when all files can be read, every byte checked. Files are used in place if requested, unless they are in
   * containers or compressed; else they are cached and listed in the filemap. Redundancy is made later.
   */
  public Future<Ack> fetch(FetchRanks request) {
    int id = request.descriptor().id();
    PrefixPaths paths = new PrefixPaths(loop.files().path(request.origin().prefix()));
    return loop.blocking("read the map of dataset " + id, () -> {
      store.evict(id);                                    // local parts were not usable, or belong to another dataset
      return new RankMapReader(paths, id).entries(request.ranks());
    }).compose(entries ->
        request.how().inPlace() && isInPlace(entries) ? check(request, entries) : copy(request, entries));
  }

  private static boolean isInPlace(List<Entry> entries) {
    return entries.stream().flatMap(entry -> entry.files().stream()).allMatch(FlushedFile::isInPlace);
  }

  private static long bytes(List<Entry> entries) {
    return entries.stream().flatMap(entry -> entry.files().stream()).mapToLong(file -> file.bytes().orElse(0)).sum();
  }

  private Future<Ack> check(FetchRanks request, List<Entry> entries) {
    int id = request.descriptor().id();
    PrefixPaths paths = new PrefixPaths(loop.files().path(request.origin().prefix()));
    DirectFiles files = new DirectFiles(paths, id);
    List<Supplier<Future<RankFiles>>> parts = new ArrayList<>();
    entries.stream().map(DirectFiles::parts).flatMap(List::stream).forEach(part -> parts.add(() ->
        loop.blocking("check dataset " + id + " rank " + part.rank(), () -> files.check(part))));
    return BoundedParallel.atOnce(request.how().readers(), parts).map(checked -> {
      inPlace = Optional.of(new InPlace(request.descriptor(), paths.prefix(), RankFiles.join(checked)));
      return Ack.ACK;
    });
  }

  private Future<Ack> copy(FetchRanks request, List<Entry> entries) {
    int id = request.descriptor().id();
    PrefixPaths paths = new PrefixPaths(loop.files().path(request.origin().prefix()));
    FetchMeter progress = new FetchMeter(id, bytes(entries), loop, observer);
    return loop.blocking("make room for dataset " + id, () -> {
      store.place(id, request.base());
      store.createDirectory(id);
      return new FetchCopy(paths, id, store.directory(id)).metered(progress);
    }).compose(copy -> copyAll(request, entries, copy).recover(failure ->
        Fault.of(failure) == Fault.CORRUPT && entries.stream().anyMatch(copy::divides)
            ? copyAll(request, entries, copy.undivided()) : Future.failedFuture(failure))
        .onComplete((_, _) -> progress.end())
    ).compose(ranks -> loop.blocking("write filemap of dataset " + id, () -> {
      store.save(new DatasetRecord(request.descriptor(), request.origin(), store.cache(id), request.redundancy(),
          FlushState.DONE, ranks.stream().map(rank ->
              new RankRecord(rank, new RedundancySet(List.of(rank.rank())), Optional.empty())).toList()));
      return ranks;
    })).compose(fetched -> request.how().byPath() && !isInPlace(entries)
        ? unpack(request.descriptor().key(), paths, fetched) : Future.succeededFuture(Ack.ACK)
    ).transform((ack, failure) -> failure == null ? Future.succeededFuture(ack)
        : loop.<Ack>blocking("discard what was fetched of dataset " + id, () -> {
          store.evict(id);
          return null;
        }).transform((_, _) -> Future.failedFuture(failure)));
  }

  private Future<List<RankFiles>> copyAll(FetchRanks request, List<Entry> entries, FetchCopy copy) {
    int id = request.descriptor().id();
    List<Supplier<Future<Fetched>>> parts = new ArrayList<>();
    entries.stream().map(copy::parts).flatMap(List::stream).forEach(part -> parts.add(() ->
        loop.blocking("fetch dataset " + id + " rank " + part.rank(), part::copy)));
    return BoundedParallel.atOnce(request.how().readers(), parts).compose(fetched -> {
      fetched.forEach(part -> part.unverified().forEach(path ->
          LOG.warn("dataset {}: {} has no checksum in its map and could not be verified", id, path)));
      return loop.blocking("read what was fetched of dataset " + id, () -> copy.join(fetched));
    });
  }

  /** Unpacks all files to their paths in the prefix directory, as a flush would, for restarts by path. */
  private Future<Ack> unpack(DatasetKey key, PrefixPaths paths, List<RankFiles> fetched) {
    int id = key.id();
    FlushCopy places =
        new FlushCopy(paths, new DraftOwner(key, self + " unpacks"), store.directory(id), new WrittenDrafts());
    List<Future<Void>> ranks = fetched.stream().map(rank -> loop.<Void>blocking("unpack dataset " + id, () -> {
      rank.files().forEach(places::copy);
      places.publish(rank.files());
      return null;
    })).toList();
    return Future.join(ranks).map(Ack.ACK);
  }
}
