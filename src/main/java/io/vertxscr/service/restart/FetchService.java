package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.DirectFiles;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.copy.FetchCopy.Fetched;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.OwnDrafts;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.BoundedParallel;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import io.vertxscr.service.Prefixes;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.Sealing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the files of this node's ranks from the prefix directory into its cache. In three steps, each of which knows
 * all that the next one needs: plan (map, room), copy (beside what the cache holds of the dataset, every byte checked),
 * and, when all nodes have got so far, commit (in the place of what the cache held). So a fetch that fails, here or on
 * another node, takes nothing from the cache. On the node's loop.
 *
 * <p>Where the store has no room for both, the files are only checked where they are, and copied at the commit: what
 * they replace has been read back by then.
 */
public final class FetchService {
  private static final Logger LOG = LoggerFactory.getLogger(FetchService.class);
  private static final int MOST_NAMED = 5;

  private final Loop loop;
  private final Prefixes prefixes;
  private final String self;
  private final DatasetStore store;
  private final Observer observer;
  private final long extentBytes;
  private Optional<FetchedParts> ready = Optional.empty();
  /** The last dataset that was committed: leaders may repeat themselves. */
  private Optional<DatasetKey> committed = Optional.empty();
  private Optional<InPlace> inPlace = Optional.empty();

  /** A dataset that is read in the prefix directory: what ranks of this node have there. */
  public record InPlace(DatasetDescriptor dataset, Path prefix, List<RankFiles> ranks) {}

  /** Where the files are between copy and commit. */
  private enum FetchWay {
    /** In the prefix directory, to be read there. */
    IN_PLACE,
    /** In the cache, beside what it holds of the dataset. */
    BESIDE,
    /** In the prefix directory, checked; the cache has room for them only when it has lost what it holds. */
    INSTEAD
  }

  /**
   * What is to be brought, and how.
   *
   * @param evicted datasets that have made room: flushed ones of other ids
   * @param replaced what goes at the commit, when all nodes have read the published files: of this id, and superseded,
   *     unless that is to be flushed by then
   */
  private record FetchPlan(FetchRanks request, PrefixPaths paths, List<RankEntry> entries, FetchWay way,
      List<Integer> evicted, List<DatasetRecord> replaced) {
    int id() {
      return request.descriptor().id();
    }
  }

  /** Files of all ranks of this node, all of them right. @param ranks without files that are to be copied yet */
  private record FetchedParts(FetchPlan plan, List<RankFiles> ranks) {
    DatasetKey key() {
      return plan.request.descriptor().key();
    }
  }

  /** Fetches for a node. @param extentBytes larger files are read in pieces of this size */
  public FetchService(
      Loop loop, Prefixes prefixes, String self, DatasetStore store, Observer observer, long extentBytes) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.self = self;
    this.store = store;
    this.observer = observer;
    this.extentBytes = extentBytes;
  }

  /** The dataset that was last found whole in the prefix directory to be read there, if it is this one. */
  public Optional<InPlace> inPlace(int datasetId) {
    return inPlace.filter(found -> found.dataset().id() == datasetId);
  }

  /**
   * Completes when all files are here, or can be read in place, every byte checked. Files are used in place if
   * requested, unless they are in containers or compressed, or a later, incomplete dataset has taken the place of one:
   * what it replaced is kept beside it, and copied from there. The cache holds what it held before until
   * {@link #commit}.
   *
   * @return fails with CORRUPT, naming the files; NO_SPACE, WRONG_STATE, IO
   */
  public Future<Ack> fetch(FetchRanks request) {
    PrefixPaths paths = prefixes.open(request.origin().prefix()).paths();
    ready = Optional.empty();
    committed = Optional.empty();
    return bring(request, paths, request.how().inPlace()).map(found -> {
      ready = Optional.of(found);
      return Ack.ACK;
    });
  }

  private Future<FetchedParts> bring(FetchRanks request, PrefixPaths paths, boolean inPlace) {
    return loop.prefix().run("plan the fetch of dataset " + request.descriptor().id() + " from "
        + request.origin().prefix(), () -> plan(request, paths, inPlace)).compose(plan -> {
          plan.evicted().forEach(id -> observer.notice(new Event.Evicted(id)));
          return (plan.way() == FetchWay.BESIDE ? copy(plan) : check(plan)).map(ranks -> new FetchedParts(plan, ranks))
              .recover(failure -> plan.way() == FetchWay.IN_PLACE && Fault.of(failure) == Fault.CORRUPT
                  ? copyWhatWasKept(plan, failure) : Future.failedFuture(failure));
        });
  }

  private Future<FetchedParts> copyWhatWasKept(FetchPlan plan, Throwable failure) {
    if (plan.request().how().byPath()) {
      return Future.failedFuture(failure);                // its path has another dataset's file
    }
    return loop.prefix().run("look for files of dataset " + plan.id() + " that a later one has replaced", () ->
        FetchCopy.hasKept(plan.paths(), plan.entries())).compose(some ->
        some ? bring(plan.request(), plan.paths(), false) : Future.failedFuture(failure));
  }

  /**
   * Replaces what the cache holds of a dataset by what was fetched, and lists it in the filemap. All nodes have fetched
   * their parts. Redundancy is made later.
   */
  public Future<Ack> commit(DatasetKey which) {
    if (committed.filter(which::equals).isPresent()) {
      return Future.succeededFuture(Ack.ACK);
    }
    FetchedParts found = ready.filter(fetched -> fetched.key().equals(which)).orElseThrow(() ->
        new ScrException(Fault.NO_SUCH_DATASET, "this node has not fetched dataset " + which.id()));
    ready = Optional.empty();
    Future<FetchedParts> here =
        found.plan().way() == FetchWay.INSTEAD ? copyInstead(found) : Future.succeededFuture(found);
    return here.compose(whole -> loop.blocking("register dataset " + which.id(), () -> register(whole))
        .compose(place -> unpack(whole).map(place))).map(place -> {
          inPlace = place;
          committed = Optional.of(which);
          return Ack.ACK;
        });
  }

  /** Some node could not fetch its part: what was fetched goes, and nothing else. */
  public Future<Ack> discard(DatasetKey which) {
    Optional<FetchedParts> found = ready.filter(fetched -> fetched.key().equals(which));
    ready = Optional.empty();
    return found.isEmpty() ? Future.succeededFuture(Ack.ACK) : discard(found.get().plan());
  }

  private Future<Ack> discard(FetchPlan plan) {
    return loop.blocking("discard what was fetched of dataset " + plan.id(), () -> {
      store.discardDraft(plan.id(), plan.request().base());
      return Ack.ACK;
    });
  }

  private FetchPlan plan(FetchRanks request, PrefixPaths paths, boolean inPlace) {
    int id = request.descriptor().id();
    requireReplaceable(request);
    List<RankEntry> entries = new RankMapReader(paths, id).entries(request.ranks());
    if (inPlace && isInPlace(entries)) {
      return new FetchPlan(request, paths, entries, FetchWay.IN_PLACE, List.of(), List.of());
    }
    List<Integer> evicted = new ArrayList<>();
    List<DatasetRecord> replaced = makeRoom(request, entries, evicted);
    if (replaced.isEmpty()) {
      store.createDraft(id, request.base());
    }
    return new FetchPlan(request, paths, entries, replaced.isEmpty() ? FetchWay.BESIDE : FetchWay.INSTEAD,
        List.copyOf(evicted), replaced);
  }

  /** What is there of a later history under this id, or of another program, may be nowhere else. */
  private void requireReplaceable(FetchRanks request) {
    DatasetDescriptor wanted = request.descriptor();
    store.find(wanted.id()).filter(held -> !held.key().equals(wanted.key())
        && !held.makesWayFor(wanted.key(), request.origin().prefix())).ifPresent(held -> {
              throw new ScrException(Fault.WRONG_STATE, "the cache holds a part of another dataset " + wanted.id()
                  + " \"" + held.descriptor().name() + "\" of " + held.origin().prefix() + " that was not flushed, and"
                  + " has room for one dataset of an id only; nothing was fetched. To have this one fetched, have the"
                  + " other one flushed or dropped: by its program, or the dashboard");
            });
  }

  /**
   * Evicts only what is in the prefix directory, oldest first, and nothing of this id.
   *
   * @return what must go besides, when the published files have been read; empty: there is room now
   */
  private List<DatasetRecord> makeRoom(FetchRanks request, List<RankEntry> entries, List<Integer> evicted) {
    long needed = bytes(entries);
    if (store.freeBytes(request.base()) < needed) {
      store.reclaim(request.base());
    }
    List<DatasetRecord> held =
        store.list().stream().filter(record -> record.cache().base().equals(request.base())).toList();
    for (DatasetRecord other : held) {
      int id = other.descriptor().id();
      if (store.freeBytes(request.base()) < needed && id != request.descriptor().id()
          && other.flush() == FlushState.DONE && store.evict(other)) {
        store.reclaim(request.base());
        evicted.add(id);
      }
    }
    long free = store.freeBytes(request.base());
    List<DatasetRecord> replaced = new ArrayList<>();
    List<DatasetRecord> replaceable = Stream.concat(
        held.stream().filter(record -> record.descriptor().id() == request.descriptor().id()),
        held.stream().filter(record -> isSuperseded(record, request))).toList();
    for (DatasetRecord other : replaceable) {
      if (free < needed) {
        free += store.bytes(other.descriptor().id());
        replaced.add(other);
      }
    }
    if (free >= needed) {
      return List.copyOf(replaced);
    }
    throw new ScrException(Fault.NO_SPACE, "no room in store " + request.base() + " to fetch dataset "
        + request.descriptor().id() + ": it has " + needed + " bytes on this node, free are "
        + store.freeBytes(request.base()) + ", and all that is flushed has gone from there"
        + kept(held.stream().filter(record -> record.flush() != FlushState.DONE).toList())
        + ofOthers(store.otherJobs(request.base())));
  }

  private static String kept(List<DatasetRecord> unflushed) {
    List<Integer> ids = unflushed.stream().map(record -> record.descriptor().id()).toList();
    return ids.isEmpty() ? "" : "; kept are datasets " + ids + ", which are in no prefix directory: scr flush or"
        + " scr drop makes room";
  }

  private static String ofOthers(List<Path> jobs) {
    return jobs.isEmpty() ? "" : "; other jobs of this user have left there: " + jobs.stream().limit(MOST_NAMED)
        .map(Path::toString).collect(Collectors.joining(", ")) + (jobs.size() > MOST_NAMED ? ", ..." : "");
  }

  /** Whether a run that restarts from what is fetched leaves an older checkpoint of its own behind. */
  private static boolean isSuperseded(DatasetRecord held, FetchRanks request) {
    return held.descriptor().id() != request.descriptor().id()
        && held.descriptor().createdUs() < request.descriptor().createdUs()
        && held.descriptor().flags().checkpoint() && !held.descriptor().flags().output()
        && held.flush() == FlushState.NOT_WANTED && held.origin().isLike(request.origin());
  }

  private static boolean isInPlace(List<RankEntry> entries) {
    return entries.stream().flatMap(entry -> entry.files().stream()).allMatch(FlushedFile::isInPlace);
  }

  private static long bytes(List<RankEntry> entries) {
    return entries.stream().flatMap(entry -> entry.files().stream()).mapToLong(file -> file.bytes().orElse(0)).sum();
  }

  private Future<List<RankFiles>> check(FetchPlan plan) {
    DirectFiles inPlace = new DirectFiles(plan.paths(), plan.id());
    FetchCopy toCopy = new FetchCopy(plan.paths(), plan.id(), store.draft(plan.id(), plan.request().base()));
    List<Supplier<Future<RankFiles>>> parts = new ArrayList<>();
    plan.entries().stream().map(DirectFiles::parts).flatMap(List::stream).forEach(part -> parts.add(() ->
        loop.patiently("check dataset " + plan.id() + " rank " + part.rank(), () -> {
          if (plan.way() == FetchWay.IN_PLACE) {
            return inPlace.check(part);
          }
          toCopy.check(part);
          return new RankFiles(part.rank(), List.of());
        })));
    return BoundedParallel.atOnce(plan.request().how().readers(), parts).map(RankFiles::join);
  }

  private Future<List<RankFiles>> copy(FetchPlan plan) {
    FetchMeter progress = new FetchMeter(plan.id(), bytes(plan.entries()), loop, observer);
    FetchCopy copy = new FetchCopy(plan.paths(), plan.id(), store.draft(plan.id(), plan.request().base()))
        .metered(progress).dividing(extentBytes);
    return copy(plan, copy).recover(failure ->
            Fault.of(failure) == Fault.CORRUPT && plan.entries().stream().anyMatch(copy::divides)
                ? copy(plan, copy.undivided()) : Future.failedFuture(failure))
        .onComplete((_, _) -> progress.end())
        .recover(failure -> discard(plan).transform((_, _) -> Future.failedFuture(failure)));
  }

  private Future<List<RankFiles>> copy(FetchPlan plan, FetchCopy copy) {
    List<Supplier<Future<Fetched>>> parts = new ArrayList<>();
    plan.entries().stream().map(copy::parts).flatMap(List::stream).forEach(part -> parts.add(() ->
        loop.patiently("fetch dataset " + plan.id() + " rank " + part.rank(), part::copy)));
    return BoundedParallel.atOnce(plan.request().how().readers(), parts).compose(fetched -> {
      fetched.forEach(part -> part.unverified().forEach(path ->
          LOG.warn("dataset {}: {} has no checksum in its map and could not be verified", plan.id(), path)));
      return loop.blocking("read what was fetched of dataset " + plan.id(), () -> copy.join(fetched));
    });
  }

  /** What the cache holds goes first: all nodes have seen that its published copy is right. */
  private Future<FetchedParts> copyInstead(FetchedParts found) {
    FetchPlan plan = found.plan();
    return loop.blocking("make room for dataset " + plan.id(), () -> {
      store.evict(plan.id());
      List<Integer> gone = plan.replaced().stream().filter(older -> older.descriptor().id() != plan.id())
          .filter(store::evict).map(older -> older.descriptor().id()).toList();
      store.reclaim(plan.request().base());
      store.createDraft(plan.id(), plan.request().base());
      return gone;
    }).compose(gone -> {
      gone.forEach(id -> observer.notice(new Event.Evicted(id)));
      return copy(plan);
    }).map(ranks -> new FetchedParts(plan, ranks));
  }

  private Optional<InPlace> register(FetchedParts whole) {
    FetchPlan plan = whole.plan();
    FetchRanks request = plan.request();
    if (plan.way() == FetchWay.IN_PLACE) {
      store.evict(plan.id());                             // not used, and in the way of who looks for the files here
      return Optional.of(new InPlace(request.descriptor(), plan.paths().prefix(), whole.ranks()));
    }
    Sealing sealing = store.sealing(request.base(), loop.clock().instant());
    Path draft = store.draft(plan.id(), request.base());
    store.adoptDraft(new DatasetRecord(request.descriptor(), request.origin(),
        store.cacheIn(request.base()), request.redundancy(), FlushState.DONE,
        whole.ranks().stream().map(rank -> sealing.made(draft,
            new RankRecord(rank, new RedundancySet(List.of(rank.rank())), Optional.empty()))).toList()));
    return Optional.empty();
  }

  /** Unpacks all files to their paths in the prefix directory, for restarts by path. By token, as a flush. */
  private Future<Void> unpack(FetchedParts whole) {
    FetchPlan plan = whole.plan();
    if (!plan.request().how().byPath() || isInPlace(plan.entries())) {
      return Future.succeededFuture();
    }
    FlushCopy places = new FlushCopy(plan.paths(), new DraftOwner(plan.request().descriptor().key(), self + " unpacks"),
        store.directory(plan.id()), new OwnDrafts());
    PrefixToken token = plan.request().how().token().orElseThrow();
    return Future.join(whole.ranks().stream().map(rank -> loop.<Void>patiently("unpack dataset " + plan.id(), () -> {
      rank.files().forEach(places::copy);
      return null;
    })).toList()).compose(_ -> prefixes.locked().runLong("name the files of dataset " + plan.id(), () ->
        PrefixFence.naming(plan.paths(), prefixes.open(plan.request().origin().prefix()).as(token).user(), () -> {
          whole.ranks().forEach(rank -> places.publish(rank.files()));
          return null;
        })));
  }
}
