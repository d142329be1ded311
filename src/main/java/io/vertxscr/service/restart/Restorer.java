package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartOrder.Candidate;
import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.flow.restart.RestartSources;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo.Restartable;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leader half of a restart (docs/flows/restart.md). Tries the checkpoints of caches and prefix directory, newest first,
 * until every rank's files are on its node. On the node's loop.
 */
public final class Restorer {
  private static final Logger LOG = LoggerFactory.getLogger(Restorer.class);
  private static final int MOST_MISSED = 20;
  /** Ids left out where those of the prefix directory are unknown: one every five minutes for a year. */
  private static final int UNSEEN_IDS = 100_000;

  private final NodeBus bus;
  private final Inventories caches;
  private final PrefixFetcher prefix;
  private final CacheRestores restores;
  private final RestartJournal journal;
  private final OnlyCopies onlyCopies;
  private final DatasetFlush outOfTheWay;
  private final Observer observer;
  private final Loop loop;
  private List<String> quarantines = List.of();
  /** Messages about skipped checkpoints, in sentences. */
  private final List<String> missed = new ArrayList<>();
  /** The newest checkpoint of this search that only a failure keeps from being restored which may pass. */
  private Optional<Delayed> delayed = Optional.empty();
  /** Those of this search for whose ids the caches have been made free. */
  private final Set<Integer> freed = new HashSet<>();
  private Optional<DatasetDescriptor> unprotected = Optional.empty();
  private Event.Ways ways = new Event.Ways(0, 0, 0, 0);
  /** Where the last restored dataset is, if it has shards. */
  private Optional<RankMap> shards = Optional.empty();

  /** Restores for the leader of a node. */
  public Restorer(Loop loop, Inventories caches, PrefixFetcher prefix, CacheRestores restores, RestartJournal journal,
      OnlyCopies onlyCopies, DatasetFlush outOfTheWay, Observer observer) {
    this.loop = loop;
    this.bus = caches.bus();
    this.caches = caches;
    this.prefix = prefix;
    this.restores = restores;
    this.journal = journal;
    this.onlyCopies = onlyCopies;
    this.outOfTheWay = outOfTheWay;
    this.observer = observer;
  }

  /** For whom a checkpoint is wanted, and which are not to be tried. */
  public record RestoreRequest(String prefix, RankMap map, RunPolicy policy, List<Integer> excluded) {}

  /** Result of the search. */
  public record RestoreOutcome(Optional<Restartable> restart, RunInfo.InitialState all) {}

  /** A checkpoint that can be restored when this failure has passed. */
  private record Delayed(Candidate candidate, ScrException cause) {}

  /** Candidates of a restart. */
  private record Scene(List<Inventory> inventories, PrefixFetcher.Listing flushed, RestartHistory history) {}

  /** The first thing for a run that begins. Fails with IO, as {@link PrefixFetcher#usable}. */
  public Future<Void> look(String prefixDirectory) {
    missed.clear();
    return prefix.usable(prefixDirectory, caches).onSuccess(remark -> remark.ifPresent(this::tell)).mapEmpty();
  }

  /** Adds a startup warning. */
  public void tell(String remark) {
    LOG.warn(remark);
    missed.add(remark);
  }

  /** Before what the caches alone have is flushed. Fails as {@link OnlyCopies#keep}. */
  public Future<Void> keepOnlyCopies(String prefixDirectory) {
    return onlyCopies.keep(prefixDirectory);
  }

  /**
   * For a run that begins: restores the newest that can be had; without any, completes with none. Fails with IO where
   * nobody can see whether there is any, and with what is in the way of the only one where that may pass.
   */
  public Future<RestoreOutcome> restore(RestoreRequest wanted) {
    return scene(wanted).compose(scene -> {
      delayed = Optional.empty();
      freed.clear();
      Future<Void> may = fromCaches(wanted) ? requireItsPath(scene, wanted) : mayEmpty(scene, wanted);
      Future<Void> noted = may.compose(_ -> onlyCopies.keep(
          scene.inventories(), wanted.prefix(), scene.flushed(), scene.history()));
      return noted.compose(_ -> restore(wanted, scene)).map(found -> {
        if (found.restart().isEmpty()) {
          requireReadable(scene, wanted);
          delayed.ifPresent(one -> {
            throw notNow(one);
          });
        }
        return found;
      });
    }).compose(found -> found.restart().isPresent() ? Future.succeededFuture(found)
        : prefix.make(wanted.prefix()).map(found));       // caches without a good one are no reason to go on without it
  }

  /**
   * Refuses a run that gives its prefix directory another path than the caches do. Where they alone have its newest
   * checkpoint, it would not be found.
   */
  private Future<Void> requireItsPath(Scene scene, RestoreRequest wanted) {
    CacheSnapshot caches = CacheSnapshot.of(scene.inventories());
    int known = Math.max(scene.flushed().lastId(),
        caches.copiesFor(wanted.prefix()).mapToInt(copy -> copy.descriptor().id()).max().orElse(0));
    List<Inventory.Dataset> newer = caches.copies().filter(copy -> copy.descriptor().flags().checkpoint()
        && copy.descriptor().id() > known && copy.flush() != FlushState.DONE).toList();
    Future<Void> checked = Future.succeededFuture();
    for (String path : newer.stream().map(copy -> copy.origin().prefix()).distinct().toList()) {
      checked = checked.compose(_ -> prefix.isSame(wanted.prefix(), path)).map(isSame -> {
        if (isSame) {
          throw otherPath(newer.stream().filter(copy -> copy.origin().prefix().equals(path))
              .map(Inventory.Dataset::descriptor).max(DatasetDescriptor.BY_AGE).orElseThrow(), path, wanted);
        }
        return null;
      });
    }
    return checked;
  }

  private static ScrException otherPath(DatasetDescriptor newest, String path, RestoreRequest wanted) {
    return new ScrException(Fault.BAD_CONFIGURATION, "the newest checkpoint, dataset " + newest.id() + " \""
        + newest.name() + "\", is in the caches alone, which know the prefix directory as " + path + "; this run gives "
        + wanted.prefix() + ", a path to the same directory. Nothing has been changed. Start with SCR_PREFIX=" + path
        + "; or, where that checkpoint is not wanted, scr drop " + newest.id());
  }

  /** The caches are not emptied for a run that will be refused. */
  private Future<Void> mayEmpty(Scene scene, RestoreRequest wanted) {
    requireReadable(scene, wanted);
    return candidates(scene, wanted).stream().findFirst()
        .map(newest -> prefix.look(newest.descriptor(), wanted)).orElse(Future.succeededFuture());
  }

  /** Finds another checkpoint for an active run that cannot use its first one. */
  public Future<RestoreOutcome> another(RestoreRequest wanted) {
    return scene(wanted).compose(scene -> restore(wanted, scene));
  }

  private Future<RestoreOutcome> restore(RestoreRequest wanted, Scene seen) {
    long startNs = loop.nanoTime();
    return emptied(seen, wanted).compose(scene -> {
      List<Candidate> candidates = candidates(scene, wanted);
      return first(candidates, wanted, scene, false)
          .compose(found -> drop(wanted, scene).map(found))
          .onSuccess(found -> found.filter(scene.history()::left).ifPresent(this::tellLeft))
          .onSuccess(found -> found.ifPresent(_ -> tellIfUnseen(scene, wanted)))
          .onSuccess(found -> found.ifPresent(d ->
              observer.notice(new Event.Restored(d.id(), ways, d.totals().bytes(), sinceUs(startNs)))))
          .onSuccess(found -> {
            if (found.isEmpty() && delayed.isEmpty()) {
              tellIfWithoutCheckpoint(scene, wanted, candidates);
            }
          })
          .map(found -> new RestoreOutcome(found.map(d -> new Restartable(d.id(), d.createdUs(), d.name(), shards)),
              found(scene, wanted.prefix())));
    });
  }

  /** The index is read after the caches were asked: what a node has flushed by then is listed. */
  private Future<Scene> scene(RestoreRequest wanted) {
    Future<RestartHistory> history = journal.read(wanted.prefix());
    return caches.all().compose(inventories -> prefix.list(wanted.prefix()).compose(flushed ->
        history.map(known -> new Scene(inventories, flushed, judged(wanted, flushed, known)))));
  }

  /** Updates the quarantine: adds checkpoints that failed too often, releases those set current since. */
  private RestartHistory judged(RestoreRequest wanted, PrefixFetcher.Listing flushed, RestartHistory history) {
    String prefixDirectory = wanted.prefix();
    FetchPolicy.CheckpointChoice rules = wanted.policy().fetch().choice();
    RestartHistory judged = history;
    for (RestartHistory.Load load : history.loads()) {
      if (load.quarantined() && flushed.current().equals(Optional.of(load.name()))) {
        LOG.warn("dataset {} \"{}\" was set current: its quarantine ends", load.datasetId(), load.name());
        judged = judged.lifted(load.name());
        journal.note(prefixDirectory, now -> now.lifted(load.name()));
      } else if (load.fruitless(rules.mostFruitlessLoads())) {
        String why = load.times() + " runs that read it came to a bad end, "
            + (rules.breaksLoops() ? "before any completed another one:" : "before all ranks had read it:")
            + " it is used only where there is no other; to have it used again, set it current";
        LOG.warn("dataset {} \"{}\" is in quarantine: {}", load.datasetId(), load.name(), why);
        observer.notice(new Event.Quarantined(load.datasetId(), load.name(), why));
        judged = judged.quarantine(rules.mostFruitlessLoads());
        // noted only when the index names it no more, which would end the quarantine; until then each run judges so
        prefix.unsetCurrent(prefixDirectory, load.name()).onSuccess(_ ->
            journal.note(prefixDirectory, now -> now.quarantine(rules.mostFruitlessLoads())));
      }
    }
    quarantines = judged.loads().stream().filter(RestartHistory.Load::quarantined)
        .map(load -> "dataset " + load.datasetId() + " \"" + load.name() + "\" is in quarantine: "
            + load.times() + " runs that read it came to a bad end").toList();
    return judged;
  }

  /** Returns quarantined and skipped checkpoints of the last restart, in sentences. */
  public List<String> remarks() {
    return Stream.concat(quarantines.stream(), missed.stream()).toList();
  }

  private void passOver(Candidate candidate, ScrException why) {
    DatasetDescriptor dataset = candidate.descriptor();
    LOG.warn("dataset {} \"{}\" is passed over: {}", dataset.id(), dataset.name(), why.getMessage());
    observer.notice(new Event.RestartPassedOver(
        dataset.id(), dataset.name(), candidate.cached(), why.fault(), why.getMessage()));
    if (missed.size() < MOST_MISSED) {
      missed.add("dataset " + dataset.id() + " \"" + dataset.name() + "\" of the "
          + (candidate.cached() ? "caches" : "prefix directory") + " was passed over: " + why.getMessage());
    }
  }

  /** Reports that the prefix directory may have a newer checkpoint than the caches. */
  private void tellIfUnseen(Scene scene, RestoreRequest wanted) {
    scene.flushed().trouble().filter(_ -> wanted.policy().fetch().fetch()).ifPresent(why ->
        tell("the prefix directory " + wanted.prefix() + " could not be read (" + why
            + "): a checkpoint there may be newer than that of the caches"));
  }

  private void tellLeft(DatasetDescriptor dataset) {
    tell("dataset " + dataset.id() + " \"" + dataset.name() + "\" is of a branch that the program had left when it"
        + " restarted from an older one and went on; it is used because there is no other");
  }

  /** Reports a start without a checkpoint although there may have been some. */
  private void tellIfWithoutCheckpoint(Scene scene, RestoreRequest wanted, List<Candidate> tried) {
    int listed = (int) scene.flushed().all().stream().filter(dataset -> dataset.flags().checkpoint()).count();
    if (listed > 0 && wanted.policy().fetch().fetch()) {
      noCheckpoint(wanted, listed, "none of the checkpoints that the index of " + wanted.prefix() + " lists, " + listed
          + " in all, could be used: the run starts without a checkpoint ('scr index --prefix " + wanted.prefix()
          + "' shows them)");
    } else if (!tried.isEmpty()) {
      noCheckpoint(wanted, 0, "none of the checkpoints in the caches, " + tried.size() + " in all, could be used:"
          + " the run starts without a checkpoint");
    } else if (listed == 0 && scene.history().lastDatasetId() > 0 && !wanted.policy().cache().purge()
        && !wanted.policy().cache().prefixPurge()) {
      noCheckpoint(wanted, 0, "no checkpoint of the datasets up to " + scene.history().lastDatasetId()
          + " is left, neither in the caches nor in " + wanted.prefix() + ": the run starts without a checkpoint");
    }
  }

  private void noCheckpoint(RestoreRequest wanted, int listed, String why) {
    LOG.warn(why);
    observer.notice(new Event.RestartAnew(wanted.prefix(), listed, why));
    missed.addFirst(why);
  }

  /**
   * Empties the caches, except pending flushes, if restarts from caches are disabled. They are asked again, behind
   * whoever has noted since that a dataset is to be flushed; what one node is to flush needs the parts of the others.
   */
  private Future<Scene> emptied(Scene scene, RestoreRequest wanted) {
    if (fromCaches(wanted)) {
      return Future.succeededFuture(scene);
    }
    boolean purge = wanted.policy().cache().purge();      // what other jobs have left, too
    Set<DatasetKey> known = cached(scene.inventories(), dataset ->
        purge || dataset.origin().prefix().equals(wanted.prefix()));
    return remember(wanted.prefix(), scene).compose(_ -> restores.inTurn(() -> caches.all().compose(now -> {
      Set<DatasetKey> kept = cached(now, dataset -> dataset.flush() == FlushState.WANTED);
      Set<DatasetKey> gone = cached(now, dataset -> known.contains(dataset.key()));
      gone.removeAll(kept);
      if (purge) {
        tellOfPurge(gone, kept);
      }
      return evict(now, dataset -> gone.contains(dataset.key()));
    }))).map(scene);
  }

  private void tellOfPurge(Set<DatasetKey> gone, Set<DatasetKey> kept) {
    if (!gone.isEmpty() || !kept.isEmpty()) {
      tell("SCR_CACHE_PURGE=1: " + datasets(gone) + " deleted from the caches"
          + (kept.isEmpty() ? "" : ", " + datasets(kept) + " kept until flushed"));
    }
  }

  private static Set<DatasetKey> cached(List<Inventory> caches, Predicate<Inventory.Dataset> which) {
    return CacheSnapshot.of(caches).copies().filter(which).map(Inventory.Dataset::key)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static String datasets(Set<DatasetKey> which) {
    return which.size() == 1 ? "1 dataset" : which.size() + " datasets";
  }

  /** Ids are never reused, even if no node holds a dataset any more. */
  private Future<Void> remember(String prefixDirectory, Scene scene) {
    return journal.note(prefixDirectory, history -> history.knowing(found(scene, prefixDirectory).lastDatasetId()));
  }

  /** Records the ids of a prefix directory that is about to be emptied. */
  public Future<Void> rememberFlushed(String prefixDirectory) {
    return prefix.list(prefixDirectory)
        .compose(flushed -> journal.note(prefixDirectory, history -> history.knowing(flushed.lastId())));
  }

  /**
   * Refuses an unreadable prefix directory. A start without checkpoint, or empty caches, would lose work, and new
   * datasets would reuse existing ids.
   */
  private static void requireReadable(Scene scene, RestoreRequest wanted) {
    if (scene.flushed().trouble().isPresent() && wanted.policy().fetch().fetch()) {
      throw new ScrException(Fault.IO, "the prefix directory " + wanted.prefix() + " cannot be read ("
          + scene.flushed().trouble().get() + "), and there is no checkpoint to restart from in the caches: the run"
          + " would start without a checkpoint. Nothing has been changed. Start it again when the directory can be"
          + " read, or with SCR_FETCH=0 to begin without what is there");
    }
  }

  /** Refuses a start without checkpoint because of a failure that may pass: it would lose all work. */
  private static ScrException notNow(Delayed newest) {
    DatasetDescriptor dataset = newest.candidate().descriptor();
    boolean cached = newest.candidate().cached();
    return new ScrException(newest.cause().fault(), "dataset " + dataset.id() + " \"" + dataset.name() + "\" of the "
        + (cached ? "caches" : "prefix directory") + " cannot be restored now (" + newest.cause().getMessage()
        + "), and there is no other one that it may use: the run would start without one. Start it again when that"
        + " has been mended; " + (cached ? "with its ranks on the nodes where they were; or with SCR_CACHE_PURGE=1,"
        + " which deletes that checkpoint" : (newest.cause().fault() == Fault.NO_SPACE
            ? "with SCR_FETCH_BYPASS=1, by which ranks read it there; " : "")
        + "or with SCR_FETCH=0, to begin without that checkpoint"));
  }

  private static boolean fromCaches(RestoreRequest wanted) {
    return wanted.policy().fetch().distribute() && !wanted.policy().fetch().globalRestart()
        && !wanted.policy().cache().purge();
  }

  private static List<Candidate> candidates(Scene scene, RestoreRequest wanted) {
    FetchPolicy rules = wanted.policy().fetch();
    FlushedCheckpoints flushed = rules.fetch() ? scene.flushed().restart() : scene.flushed().restart().withoutFetch();
    RestartSources sources = new RestartSources(fromCaches(wanted) ? scene.inventories() : List.of(), wanted.prefix(),
        wanted.map().size(), flushed, scene.history(), wanted.excluded());
    sources.ofOtherSize().filter(_ -> !rules.flushOnRestart()).ifPresent(dataset -> {
      throw otherSize(dataset.descriptor(), dataset.origin().ranks(), wanted);
    });
    return sources.candidates();
  }

  /** Refuses another number of ranks. An older checkpoint would lose newer work, a start without one all of it. */
  static ScrException otherSize(DatasetDescriptor dataset, int ranks, RestoreRequest wanted) {
    String writers = ranks == 1 ? "1 rank" : ranks + " ranks";
    return new ScrException(Fault.RANKS_DISAGREE, "the newest checkpoint, dataset " + dataset.id() + " \""
        + dataset.name() + "\", was written by " + writers + ", and this run has " + wanted.map().size()
        + ". Nothing has been changed. Start " + writers + "; or set SCR_GLOBAL_RESTART=1, and every rank may read"
        + " every file; or SCR_FLUSH_ON_RESTART=1 and SCR_FETCH=0, and have the application read the prefix directory");
  }

  private long sinceUs(long startNs) {
    return (loop.nanoTime() - startNs) / 1000;
  }

  /**
   * Computes what a new dataset must exceed. Dataset ids are unique in the caches over all prefix directories.
   * Checkpoint numbers count for each prefix directory. Where that could not be read, ids leave room for its own: a
   * dataset whose id it has already could not be flushed.
   */
  private RunInfo.InitialState found(Scene scene, String prefixDirectory) {
    List<Inventory.Dataset> cached = CacheSnapshot.of(scene.inventories()).copies().toList();
    IntStream ids = IntStream.concat(cached.stream().mapToInt(dataset -> dataset.descriptor().id()),
        scene.flushed().all().stream().mapToInt(DatasetDescriptor::id));
    IntStream checkpoints = IntStream.concat(
        cached.stream().filter(dataset -> dataset.origin().prefix().equals(prefixDirectory))
            .mapToInt(dataset -> dataset.descriptor().checkpointId()),
        scene.flushed().all().stream().mapToInt(DatasetDescriptor::checkpointId));
    LongStream created = LongStream.concat(cached.stream().mapToLong(dataset -> dataset.descriptor().createdUs()),
        scene.flushed().all().stream().mapToLong(DatasetDescriptor::createdUs));
    int known = Math.max(Math.max(ids.max().orElse(0), scene.flushed().lastId()), scene.history().lastDatasetId());
    int unseen = scene.flushed().trouble().isPresent() ? UNSEEN_IDS : 0;
    return new RunInfo.InitialState(known + unseen, checkpoints.max().orElse(0),
        Math.max(created.max().orElse(0), scene.history().lastUs()), remarks());
  }

  /** @param sharded whether one of any number of ranks was tried before: then one of this number alone may be older */
  private Future<Optional<DatasetDescriptor>> first(
      List<Candidate> candidates, RestoreRequest wanted, Scene scene, boolean sharded) {
    if (candidates.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    DatasetDescriptor dataset = candidates.getFirst().descriptor();
    boolean cached = candidates.getFirst().cached();
    Future<Void> attempt = cached ? fromCaches(dataset, wanted, scene) : fetched(dataset, wanted);
    return attempt.map(Optional.of(dataset)).recover(failure -> {
      boolean otherSize = Fault.of(failure) == Fault.RANKS_DISAGREE;
      if (otherSize && !sharded || Fault.of(failure) == Fault.BUSY) {
        return Future.failedFuture(failure);              // no reason to go back further, nor one against the dataset
      }
      boolean occupied = Fault.of(failure) == Fault.WRONG_STATE;   // in the caches is another one of its id
      if (occupied && freed.add(dataset.id())) {
        return free(dataset, wanted).compose(_ -> first(candidates, wanted, scene, sharded));
      }
      if (failure instanceof ScrException e && e.fault() != Fault.INTERNAL) {
        passOver(candidates.getFirst(), e);
        if (delayed.isEmpty() && (otherSize || occupied || e.fault().retry())) {
          delayed = Optional.of(new Delayed(candidates.getFirst(), e));
        }
        return first(candidates.subList(1, candidates.size()), wanted, scene, sharded || dataset.flags().shards());
      }
      return Future.failedFuture(failure);
    });
  }

  private Future<Void> fetched(DatasetDescriptor dataset, RestoreRequest wanted) {
    boolean mayGoThere = wanted.policy().cache().bypassWhenFull() && !wanted.policy().fetch().bypass();
    return fetchedAs(dataset, wanted).recover(failure -> mayGoThere && Fault.of(failure) == Fault.NO_SPACE
        ? readInPlace(dataset, wanted, failure) : Future.failedFuture(failure));
  }

  /** What was too large for the caches when it was written is so when it is read. */
  private Future<Void> readInPlace(DatasetDescriptor dataset, RestoreRequest wanted, Throwable why) {
    RestoreRequest there = new RestoreRequest(wanted.prefix(), wanted.map(),
        wanted.policy().with(wanted.policy().fetch().bypassing()), wanted.excluded());
    return fetchedAs(dataset, there).onSuccess(_ -> tell("dataset " + dataset.id() + " \"" + dataset.name()
        + "\" is read in " + wanted.prefix() + " (SCR_CACHE_FULL=BYPASS): " + why.getMessage()));
  }

  private Future<Void> fetchedAs(DatasetDescriptor dataset, RestoreRequest wanted) {
    return prefix.fetch(dataset, wanted).map(ranks -> {
      // files of another number of ranks are here to be checked and read, not to be rebuilt for this run
      boolean here = ranks == wanted.map().size() && !PrefixFetcher.staysInPlace(dataset, wanted);
      unprotected = here ? Optional.of(dataset) : Optional.empty();
      ways = new Event.Ways(0, 0, 0, ranks);
      boolean inPrefix = wanted.policy().fetch().globalRestart();
      shards = dataset.flags().shards() && !inPrefix
          ? Optional.of(PrefixFetcher.spread(ranks, wanted.map())) : Optional.empty();
      return null;
    });
  }

  private Future<Void> fromCaches(DatasetDescriptor dataset, RestoreRequest wanted, Scene scene) {
    return restores.forRun(dataset, new CacheRestores.Target(wanted.prefix(), wanted.map()), scene.inventories(),
        wanted.policy().fetch().verifyAll()).<Void>map(plan -> {
      RankMap map = plan.map();
      shards = dataset.flags().shards() ? Optional.of(map) : Optional.empty();
      boolean done = map.size() != wanted.map().size() || plan.isProtected(wanted.policy().descriptors().groups());
      unprotected = done ? Optional.empty() : Optional.of(dataset);
      ways = ways(plan);
      return null;
    }).recover(failure -> Fault.of(failure) == Fault.NO_SPACE && wanted.policy().fetch().fetch()
        && scene.flushed().trouble().isEmpty() ? roundabout(dataset, wanted, failure) : Future.failedFuture(failure));
  }

  /**
   * Restores by way of the prefix directory. Ranks are on other nodes than before, and there is no room for what these
   * have and for what they are to get; what is flushed may be replaced by what is fetched.
   *
   * @param why it must be so
   * @return fails with that where it cannot be flushed, or is in the prefix directory already
   */
  private Future<Void> roundabout(DatasetDescriptor dataset, RestoreRequest wanted, Throwable why) {
    return caches.all().compose(all -> CacheSnapshot.of(all).copies(dataset.key())
        .filter(copy -> copy.flush() != FlushState.DONE).findFirst()
        .map(copy -> flushed(copy, all)).orElse(Future.succeededFuture(false)))
        .recover(failure -> Future.failedFuture(new ScrException(Fault.NO_SPACE,
            why.getMessage() + "; and it cannot be flushed, to be fetched from there: " + failure.getMessage())))
        .compose(isThere -> {
          if (!isThere) {
            return Future.failedFuture(why);
          }
          tell("dataset " + dataset.id() + " \"" + dataset.name() + "\" was flushed to " + wanted.prefix()
              + ", and fetched from there, for the caches have no room to move it to the nodes of its ranks: "
              + why.getMessage());
          return fetched(dataset, wanted);
        });
  }

  /**
   * Flushes what other programs have under the id of a dataset in the caches alone. Then it may be replaced; what
   * becomes of that is seen when the dataset is fetched.
   */
  private Future<Void> free(DatasetDescriptor dataset, RestoreRequest wanted) {
    return caches.all().compose(all -> {
      Future<Void> flushed = Future.succeededFuture();
      for (Inventory.Dataset other : CacheSnapshot.of(all).datasets(other -> other.descriptor().id() == dataset.id()
          && other.flush() != FlushState.DONE && !other.origin().prefix().equals(wanted.prefix()))) {
        flushed = flushed.compose(_ -> flushed(other, all)).map(isThere -> {
          if (isThere) {
            tell("dataset " + other.descriptor().id() + " \"" + other.descriptor().name() + "\" of "
                + other.origin().prefix() + " was flushed, for the caches have room for one dataset of an id: dataset "
                + dataset.id() + " \"" + dataset.name() + "\" of this run");
          }
          return null;
        });
      }
      return flushed;
    }).otherwise(failure -> {
      LOG.warn("another dataset {} stays in the way: {}", dataset.id(), failure.getMessage());
      return null;
    });
  }

  /** @return whether a dataset of the caches is in its prefix directory then; fails where that cannot be reached now */
  private Future<Boolean> flushed(Inventory.Dataset dataset, List<Inventory> all) {
    return outOfTheWay.flush(dataset, all).compose(_ -> caches.all()).map(now ->
        CacheSnapshot.of(now).copies(dataset.key()).allMatch(copy -> copy.flush() == FlushState.DONE));
  }

  private static Event.Ways ways(RestorePlan plan) {
    Map<Action, Long> ranks = plan.perNode().values().stream().flatMap(List::stream)
        .collect(Collectors.groupingBy(RestorePlan.RankPlan::action, Collectors.counting()));
    return new Event.Ways(ranks.getOrDefault(Action.KEEP, 0L).intValue(),
        ranks.getOrDefault(Action.MOVE, 0L).intValue(), ranks.getOrDefault(Action.REBUILD, 0L).intValue(), 0);
  }

  /**
   * Drops what the application could not read, and what somebody has removed. What could not be restored stays: the
   * nodes that are missing may come back, and what was in the way may pass.
   */
  private Future<Void> drop(RestoreRequest wanted, Scene scene) {
    Predicate<Inventory.Dataset> useless = d -> d.origin().prefix().equals(wanted.prefix())
        && (d.descriptor().flags().checkpoint() && wanted.excluded().contains(d.descriptor().id())
            || scene.flushed().isRemoved(d.key(), scene.history()));
    boolean any = CacheSnapshot.of(scene.inventories()).copies().anyMatch(useless);
    return (any ? remember(wanted.prefix(), scene) : Future.<Void>succeededFuture())
        .compose(_ -> evict(scene.inventories(), useless));
  }

  private Future<Void> evict(List<Inventory> inventories, Predicate<Inventory.Dataset> which) {
    List<Future<Ack>> told = new ArrayList<>();
    for (Inventory inventory : inventories) {
      List<DatasetKey> useless = inventory.datasets().stream().filter(which)
          .map(dataset -> CacheRestores.which(dataset.descriptor())).toList();
      if (!useless.isEmpty()) {
        told.add(bus.command(inventory.node(), NodeVerb.DROP, new DropDatasets(useless), Ack.class).otherwise(e -> {
          LOG.warn("node {} keeps stale datasets: {}", inventory.node(), e.getMessage());
          return Ack.ACK;
        }));
      }
    }
    return Future.all(told).mapEmpty();
  }

  /** Returns the last restored dataset if it lacks redundancy; only once. */
  public Optional<DatasetDescriptor> unprotected() {
    Optional<DatasetDescriptor> dataset = unprotected;
    unprotected = Optional.empty();
    return dataset;
  }

  /** Notes in the prefix directory that the application could not read a dataset. */
  public Future<Void> markFailed(String prefixDirectory, DatasetKey which) {
    return prefix.markFailed(prefixDirectory, which);
  }
}
