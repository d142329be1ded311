package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.Inventory.Held;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.protocol.node.restart.HeaderRequest;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.restart.RanksRestored;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.restart.VerifyDataset;
import io.vertxscr.protocol.node.scrub.MendParts;
import io.vertxscr.protocol.node.scrub.Mended;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.SerialQueue;
import io.vertxscr.service.cache.RankChecks.Checked;
import io.vertxscr.service.redundancy.RankRestorer;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.Sealing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Inventory of this node's caches: lists, verifies, restores and deletes datasets. On the node's loop. */
public final class CacheInventoryService {
  private static final Logger LOG = LoggerFactory.getLogger(CacheInventoryService.class);

  /** By then times of files tell of a later write, and what else the end of a run brings is done. */
  private static final long CHECK_DELAY_MS = 100;

  private final Loop loop;
  private final Prefixes prefixes;
  private final String self;
  private final DatasetStore store;
  private final CacheEvictor keeper;
  private final RankRestorer restorer;
  private final UnreadDatasets unread;
  private final BooleanSupplier drained;
  private final SerialQueue<Integer> restores = new SerialQueue<>();
  private final RankChecks checks;
  /** Not answered yet: who asks for the same joins them. */
  private final Map<Checking, Future<Checked>> checking = new HashMap<>();

  private record Checking(DatasetKey dataset, RankRecord rank, boolean everything) {}

  /** A part that can fail its check: a rank's files, or the redundancy file that it wrote. */
  private record Part(DatasetKey dataset, int rank, HeldPart what) {}

  /** Creates the inventory of a node. @param drained whether that is marked to be drained */
  public CacheInventoryService(Loop loop, Prefixes prefixes, String self, DatasetStore store, CacheEvictor keeper,
      RankRestorer restorer, UnreadDatasets unread, BooleanSupplier drained) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.self = self;
    this.store = store;
    this.keeper = keeper;
    this.restorer = restorer;
    this.unread = unread;
    this.drained = drained;
    this.checks = new RankChecks(store, () -> loop.clock().instant());
  }

  /** All that is here, by the filemaps. */
  public Future<Inventory> inventory() {
    return Future.succeededFuture(inventory(Map.of()));
  }

  private Inventory inventory(Map<Part, ScrException> bad) {
    return new Inventory(self, store.list().stream().map(record -> summary(record, bad)).toList(),
        keeper.prefixes(), drained.getAsBoolean());
  }

  /** Without what is bad, and what is known to be damaged. */
  private Inventory.Dataset summary(DatasetRecord record, Map<Part, ScrException> bad) {
    List<Held> held = record.ranks().stream().map(rank -> new Held(rank.files().rank(), rank.set(),
        isGood(record, rank, HeldPart.FILES, bad),
        rank.redundancy().isPresent() && isGood(record, rank, HeldPart.REDUNDANCY, bad),
        unread(record, rank, HeldPart.FILES, bad), unread(record, rank, HeldPart.REDUNDANCY, bad))).toList();
    return new Inventory.Dataset(
        record.descriptor(), record.origin(), record.cache().base(), record.redundancy(), record.flush(), held);
  }

  private static Part part(DatasetRecord record, RankRecord rank, HeldPart what) {
    return new Part(record.key(), rank.files().rank(), what);
  }

  private boolean isGood(DatasetRecord record, RankRecord rank, HeldPart what, Map<Part, ScrException> bad) {
    return !bad.containsKey(part(record, rank, what)) && store.damaged().problem(record.key(), rank, what).isEmpty();
  }

  /** Why nobody knows whether a part is good. */
  private Optional<String> unread(DatasetRecord record, RankRecord rank, HeldPart what, Map<Part, ScrException> bad) {
    ScrException found = bad.get(part(record, rank, what));
    return found == null ? store.damaged().unread(record.key(), rank, what)
        : Optional.of(found).filter(problem -> problem.fault() != Fault.CORRUPT).map(Throwable::getMessage);
  }

  private Optional<DatasetRecord> find(DatasetKey which) {
    return store.find(which.id()).filter(record -> record.key().equals(which));
  }

  /**
   * Verifies all files and redundancy headers of a dataset; corrupt ones count as lost in the answer. What is sealed
   * and untouched is not read, unless everything is wanted ({@link RankChecks}). Files that nobody has read yet must be
   * untouched. A corrupt redundancy file is given up durably, so that it is seen to be missing until there is another.
   */
  public Future<Inventory> verify(VerifyDataset request) {
    DatasetKey which = request.dataset();
    Optional<DatasetRecord> record = find(which);
    if (record.isEmpty()) {
      return inventory();
    }
    return checked(record.get(), request.everything()).compose(checked -> {
      Map<Part, ScrException> bad = new HashMap<>();
      checked.forEach(check -> bad.putAll(bad(which, check)));
      return giveUp(which, bad).map(_ -> inventory(bad));
    });
  }

  /** Checks all that is here of a dataset. The answer does not wait for the seals to be noted. */
  private Future<List<Checked>> checked(DatasetRecord record, boolean everything) {
    DatasetKey which = record.descriptor().key();
    List<Future<Checked>> checked =
        record.ranks().stream().map(rank -> checked(which, rank, everything)).toList();
    return Future.all(checked).map(_ -> checked.stream().map(Future::result).toList()).onSuccess(all -> {
      List<RankRecord> sealed = all.stream().map(Checked::rank).filter(rank ->
          record.rank(rank.files().rank()).filter(rank::equals).isEmpty()).toList();
      if (!sealed.isEmpty()) {
        loop.quietly("note seals of dataset " + which.id(), () -> {
          store.sealed(which, sealed);
          return null;
        }).onFailure(e -> LOG.info("dataset {}: {}", which.id(), e.getMessage()));
      }
    });
  }

  private Future<Checked> checked(DatasetKey which, RankRecord rank, boolean everything) {
    Checking key = new Checking(which, rank, everything);
    Future<Checked> present = checking.get(key);
    if (present != null) {
      return present;
    }
    Future<Checked> check = loop.blocking("verify dataset " + which.id() + " rank " + rank.files().rank(), () ->
        checks.check(which, rank, everything));
    if (!check.isComplete()) {
      checking.put(key, check);
      check.onComplete(_ -> checking.remove(key));
    }
    return check;
  }

  /**
   * A run has ended. What the next one would restart from is read now as far as it is not sealed, so that it need not
   * wait for that: files whose times did not tell of writes when their checksums were made, and those that nobody has
   * read and no flush will.
   *
   * @param prefix of that run
   */
  public void runEnded(String prefix) {
    loop.after(CHECK_DELAY_MS, () -> newest(prefix).ifPresent(record -> {
      Future<?> reading = !record.hasUnread() ? checked(record, false)
          : record.flush() == FlushState.WANTED ? Future.succeededFuture() : unread.quietly(record.key());
      reading.onFailure(e ->
          LOG.info("dataset {} is not verified yet: {}", record.descriptor().id(), e.getMessage()));
    }));
  }

  private Optional<DatasetRecord> newest(String prefix) {
    return store.list().stream().filter(record -> record.descriptor().flags().checkpoint())
        .filter(record -> record.origin().prefix().equals(prefix))
        .max(Comparator.comparing(DatasetRecord::descriptor, DatasetDescriptor.BY_AGE));
  }

  private Future<Void> giveUp(DatasetKey which, Map<Part, ScrException> bad) {
    Set<Integer> forGood = bad.entrySet().stream().filter(one -> one.getKey().what == HeldPart.REDUNDANCY
        && one.getValue().fault() == Fault.CORRUPT).map(one -> one.getKey().rank).collect(Collectors.toSet());
    if (forGood.isEmpty()) {
      return Future.succeededFuture();
    }
    return loop.blocking("give up redundancy of dataset " + which.id(), () -> {
      store.update(which, held -> held.with(held.ranks().stream()
          .map(rank -> forGood.contains(rank.files().rank()) ? rank.withoutRedundancy() : rank).toList()));
      return null;
    });
  }

  private Map<Part, ScrException> bad(DatasetKey which, Checked checked) {
    int number = checked.rank().files().rank();
    Map<Part, ScrException> found = new HashMap<>();
    checked.files().ifPresentOrElse(problem -> {
      LOG.warn("dataset {}, rank {}: {}; its files count as lost", which.id(), number, problem.getMessage());
      found.put(new Part(which, number, HeldPart.FILES), problem);
    }, () -> store.damaged().clear(which, number, HeldPart.FILES));
    checked.redundancy().ifPresent(problem -> {
      LOG.warn("dataset {}, rank {}: {}; its redundancy counts as lost", which.id(), number, problem.getMessage());
      found.put(new Part(which, number, HeldPart.REDUNDANCY), problem);
    });
    return found;
  }

  /**
   * Makes parts again that have failed their check here. Files first; beside the damaged ones, checked, then in their
   * places. Of a dataset that is here: one that was evicted does not come back.
   */
  public Future<Mended> mend(MendParts request) {
    return restores.run(request.files().descriptor().id(), () -> mendNow(request));
  }

  private Future<Mended> mendNow(MendParts request) {
    DatasetKey which = request.files().descriptor().key();
    held(which);
    List<Future<RankFiles>> files = request.files().ranks().stream()
        .map(plan -> restorer.restore(request.files(), plan).compose(made -> mended(which, made))).toList();
    return Future.join(files).otherwiseEmpty().compose(_ -> {
      DatasetRecord held = held(which);
      List<Future<Void>> redundancy =
          request.redundancy().stream().map(plan -> restorer.redundancy(held, plan)).toList();
      return Future.join(redundancy).otherwiseEmpty().map(_ -> new Mended(
          failures(request.files().ranks(), files), failures(request.redundancy(), redundancy)));
    }).onComplete(_ -> discardIfEvicted(which.id()));
  }

  /** @throws ScrException NO_SUCH_DATASET */
  private DatasetRecord held(DatasetKey which) {
    return find(which).orElseThrow(() -> new ScrException(
        Fault.NO_SUCH_DATASET, "node " + self + " does not hold dataset " + which.id() + " any more"));
  }

  private static <T> List<RankFailure> failures(List<RankPlan> plans, List<Future<T>> ends) {
    List<RankFailure> failures = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      if (ends.get(i).failed()) {
        failures.add(failed(plans.get(i).rank(), ends.get(i).cause()));
      }
    }
    return failures;
  }

  private Future<RankFiles> mended(DatasetKey which, RankFiles made) {
    return loop.blocking("write filemap of dataset " + which.id(), () -> {
      store.update(which, held -> held.rank(made.rank()).map(rank -> held.with(rank.with(made))).orElse(held));
      store.damaged().clear(which, made.rank(), HeldPart.FILES);
      return made;
    });
  }

  /** Files were made in the directory of a dataset that has gone meanwhile. */
  private void discardIfEvicted(int datasetId) {
    if (store.find(datasetId).isEmpty()) {
      loop.quietly("discard what was made of dataset " + datasetId, () -> {
        store.discardLeftovers(datasetId);
        return null;
      }).onFailure(e -> LOG.info("dataset {}: {}", datasetId, e.getMessage()));
    }
  }

  /** Restores ranks' files on this node and commits them durably. One restore of a dataset at a time. */
  public Future<RanksRestored> restore(RestoreRanks request) {
    return restores.run(request.descriptor().id(), () -> restoreNow(request));
  }

  private Future<RanksRestored> restoreNow(RestoreRanks request) {
    DatasetKey which = request.descriptor().key();
    List<RankPlan> missing = request.ranks().stream().filter(plan -> plan.action() != Action.KEEP).toList();
    if (missing.isEmpty()) {
      return Future.succeededFuture(new RanksRestored(List.of()));
    }
    store.cacheIn(request.base());
    Optional<DatasetRecord> inTheWay = store.find(which.id()).filter(held -> !held.key().equals(which));
    inTheWay.filter(held -> !held.makesWayFor(which, request.origin().prefix())).ifPresent(held -> {
      throw new ScrException(Fault.WRONG_STATE, "node " + self + " holds a part of another dataset " + which.id()
          + " \"" + held.descriptor().name() + "\" of " + held.origin().prefix() + " that was not flushed, the rest of"
          + " which may come back, and has room for one dataset of an id only");
    });
    return prefixes.named(request.origin().prefix()).compose(_ -> free(which, inTheWay))
        .compose(_ -> bring(request, which, missing));
  }

  private Future<Void> free(DatasetKey which, Optional<DatasetRecord> inTheWay) {
    return inTheWay.isEmpty() ? Future.succeededFuture()
        : loop.blocking("evict another dataset " + which.id(), () -> {
          store.evict(which.id());
          return null;
        });
  }

  private Future<RanksRestored> bring(RestoreRanks request, DatasetKey which, List<RankPlan> missing) {
    store.place(which.id(), request.base());
    List<Future<RankFiles>> jobs = missing.stream().map(plan -> restorer.restore(request, plan)).toList();
    return Future.join(jobs).transform((_, _) -> {
      List<RankFailure> failed = new ArrayList<>();
      List<RankRecord> brought = new ArrayList<>();
      for (int i = 0; i < jobs.size(); i++) {
        RankPlan plan = missing.get(i);
        if (jobs.get(i).succeeded()) {
          brought.add(new RankRecord(jobs.get(i).result(), plan.set(), Optional.empty()));
        } else {
          failed.add(failed(plan.rank(), jobs.get(i).cause()));
        }
      }
      return save(request, which, brought).otherwise(cause -> {
        brought.forEach(rank -> failed.add(failed(rank.files().rank(), cause)));
        return null;
      }).map(new RanksRestored(failed));
    });
  }

  private static RankFailure failed(int rank, Throwable cause) {
    Fault fault = cause instanceof ScrException e ? e.fault() : Fault.INTERNAL;
    if (cause instanceof ScrException known) {
      LOG.warn("rank {} cannot be restored: {}", rank, known.getMessage());   // a full disk is no bug
    } else {
      LOG.warn("rank {} cannot be restored", rank, cause);
    }
    return new RankFailure(rank, fault.number(), String.valueOf(cause.getMessage()));
  }

  private Future<Void> save(RestoreRanks request, DatasetKey which, List<RankRecord> brought) {
    if (brought.isEmpty()) {
      return Future.succeededFuture();
    }
    DatasetRecord nothing = new DatasetRecord(request.descriptor(), request.origin(), store.cache(which.id()),
        request.redundancy(), request.flush(), List.of());
    return loop.<Void>blocking("write filemap of dataset " + which.id(), () -> {
      Sealing sealing = store.sealing(which.id(), loop.clock().instant());
      store.bring(nothing, held -> with(held, brought, rank -> sealing.made(store.directory(which.id()), rank)));
      brought.forEach(rank -> store.damaged().clear(which, rank.files().rank(), HeldPart.FILES));
      return null;
    }).onFailure(_ -> discardIfEvicted(which.id()));
  }

  private static DatasetRecord with(
      DatasetRecord held, List<RankRecord> brought, UnaryOperator<RankRecord> sealing) {
    TreeMap<Integer, RankRecord> ranks = new TreeMap<>();
    held.ranks().forEach(rank -> ranks.put(rank.files().rank(), rank));
    for (RankRecord rank : brought) {
      // Redundancy of the same set that this rank wrote here stays valid: the files are the same as before.
      Optional<RankRecord> before = Optional.ofNullable(ranks.get(rank.files().rank()))
          .filter(old -> old.set().equals(rank.set()));
      ranks.put(rank.files().rank(), sealing.apply(before.map(old -> old.with(rank.files())).orElse(rank)));
    }
    return held.with(List.copyOf(ranks.values()));
  }

  /** The header of a redundancy file that is here. */
  public Future<RedundancyHeader> header(HeaderRequest request) {
    Path path = store.redundancy(request.datasetId(), request.rank()).orElseThrow(() ->
        new ScrException(Fault.UNKNOWN_RANK, "node " + self + " has no redundancy file of rank " + request.rank()
            + " in dataset " + request.datasetId()));
    return loop.blocking("read redundancy header", () -> RedundancyFiles.readHeader(path));
  }

  /** Deletes datasets, those of the given histories only. */
  public Future<Ack> drop(DropDatasets drop) {
    Stream<Future<Void>> dropped = drop.datasets().stream().filter(which -> find(which).isPresent())
        .map(which -> keeper.drop(which.id()));
    return Future.all(dropped.toList()).map(Ack.ACK);
  }
}
