package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.restart.RanksRestored;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import io.vertxscr.service.SerialQueue;
import io.vertxscr.service.cache.StoreChecks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores cached datasets on their target nodes, for restarts and for flushes. Serialized: two that write the same
 * files would undo each other's work. On the node's loop.
 */
public final class CacheRestores {
  private static final Logger LOG = LoggerFactory.getLogger(CacheRestores.class);
  /** Plans made for one dataset: each one after the first because a source had failed meanwhile. */
  private static final int MAX_PLANS = 4;
  /** The same where an operation on a disk fails: once more, as that may have been the only one. */
  private static final int MAX_PLANS_AMID_ERRORS = 2;

  private final Inventories caches;
  private final Observer observer;
  private final SerialQueue<String> steps = new SerialQueue<>();

  public CacheRestores(Inventories caches, Observer observer) {
    this.caches = caches;
    this.observer = observer;
  }

  /** Target node of every rank's files. */
  record Target(String prefix, RankMap map) {}

  /**
   * Restores every rank's files on its node, after a verification of the dataset. Where files that were taken for good
   * unread turn out to be corrupt, by what is rebuilt or moved with them, everything is read, and a new plan is made.
   * Where a run of another size wrote it, the files are shards: they stay where they are, and lost ones are rebuilt on
   * any node.
   *
   * @param seen what the caches held a moment ago; where that is not enough, they are asked again
   * @param everything whether the first verification reads files, too, that are sealed and untouched
   * @return how it was done, for as many ranks as wrote it; fails with TOO_MANY_LOST before anything is read where that
   *     is known already, and with what was in the way else
   */
  Future<RestorePlan> forRun(DatasetDescriptor dataset, Target target, List<Inventory> seen, boolean everything) {
    if (dataset.flags().shards()) {
      return inTurn(() -> caches.all().compose(inventories -> {
        Inventory.Dataset copy = CacheSnapshot.of(inventories).copies(dataset.key()).findFirst().orElseThrow(() ->
            new ScrException(Fault.NO_SUCH_DATASET, "no cache holds dataset " + dataset.id()));
        boolean sameSize = copy.origin().ranks() == target.map().size();
        RankMap map = sameSize ? target.map() : RestorePlanner.anywhere(copy, inventories);
        return checked(dataset, new Target(target.prefix(), map), everything, 1);
      }));
    }
    return inTurn(() -> isPossible(dataset, target, seen) ? verified(dataset, target, seen, everything, 1)
        : checked(dataset, target, everything, 1));
  }

  private static boolean isPossible(DatasetDescriptor dataset, Target target, List<Inventory> seen) {
    try {
      RestorePlanner.plan(dataset, seen, target.map());
      return true;
    } catch (ScrException _) {
      return false;                                       // what is in the way may have been repaired since
    }
  }

  private Future<RestorePlan> checked(DatasetDescriptor dataset, Target target, boolean everything, int attempt) {
    return caches.all().compose(inventories -> {
      requireWay(dataset, target, inventories);
      return verified(dataset, target, inventories, everything, attempt);
    });
  }

  /** Before anything is read. What could not be read some time ago is to be read again. */
  private static void requireWay(DatasetDescriptor dataset, Target target, List<Inventory> inventories) {
    try {
      RestorePlanner.plan(dataset, inventories, target.map());
    } catch (ScrException e) {
      if (e.fault() != Fault.IO) {
        throw e;
      }
    }
  }

  private Future<RestorePlan> verified(
      DatasetDescriptor dataset, Target target, List<Inventory> before, boolean everything, int attempt) {
    return caches.verified(which(dataset), everything).compose(verified -> {
      tellCorrupt(dataset, before, verified);
      RestorePlan plan = RestorePlanner.plan(dataset, verified, target.map());
      return run(plan, verified, target).compose(failed -> {
        if (failed.isEmpty()) {
          return Future.succeededFuture(plan);
        }
        ScrException first = first(dataset, failed);
        if (!everything && failed.stream().anyMatch(one -> Fault.of(one.fault()) == Fault.CORRUPT)) {
          return checked(dataset, target, true, attempt + 1);
        }
        if (attempt >= most(first.fault())) {
          throw first;
        }
        return checked(dataset, target, everything, attempt + 1);
      });
    });
  }

  /** Number of plans made where this is in the way. */
  private static int most(Fault fault) {
    return switch (fault) {
      case NODE_LOST -> MAX_PLANS;
      case IO -> MAX_PLANS_AMID_ERRORS;
      default -> 1;
    };
  }

  /** Restores without verifying files in place; moved or rebuilt files are checked in transfer. */
  Future<RestorePlan> unchecked(DatasetDescriptor dataset, Target target) {
    return inTurn(() -> caches.all().compose(inventories -> unchecked(dataset, target, inventories)));
  }

  private Future<RestorePlan> unchecked(DatasetDescriptor dataset, Target target, List<Inventory> inventories) {
    RestorePlan plan = RestorePlanner.plan(dataset, inventories, target.map());
    return run(plan, inventories, target).map(failed -> {
      if (!failed.isEmpty()) {
        throw first(dataset, failed);
      }
      return plan;
    });
  }

  /** Makes the dataset complete in the caches, each rank on any node, so that it can be flushed. */
  public Future<Void> complete(Inventory.Dataset dataset) {
    return inTurn(() -> caches.all().compose(inventories -> {
      RankMap map = RestorePlanner.anywhere(dataset, inventories);
      return unchecked(dataset.descriptor(), new Target(dataset.origin().prefix(), map), inventories);
    })).mapEmpty();
  }

  /**
   * Makes a dataset complete after a full verification, because corruption was found.
   *
   * @return the nodes on which each rank's files are good now: others may have bad ones of it, too; fails with
   *     NO_SUCH_DATASET, TOO_MANY_LOST; with what was in the way else
   */
  public Future<RankMap> rebuilt(int datasetId) {
    return inTurn(() -> caches.all().compose(inventories -> {
      Inventory.Dataset dataset = CacheSnapshot.of(inventories).find(datasetId)
          .orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "no cache holds dataset " + datasetId));
      RankMap map = RestorePlanner.anywhere(dataset, inventories);
      return checked(dataset.descriptor(), new Target(dataset.origin().prefix(), map), true, 1).map(RestorePlan::map);
    }));
  }

  /** Has all nodes drop datasets, after a restore in progress. That may bring one to a node that had nothing of it. */
  public Future<Void> dropped(List<DatasetKey> which) {
    return dropped(_ -> which);
  }

  /** The same of what is chosen by the caches of that moment: what was restored since may be needed. */
  Future<Void> dropped(Function<List<Inventory>, List<DatasetKey>> choice) {
    return inTurn(() -> caches.all().compose(inventories -> {
      List<DatasetKey> which = choice.apply(inventories);
      List<Future<Ack>> told = new ArrayList<>();
      for (Inventory inventory : inventories) {
        List<DatasetKey> held = which.stream().filter(key ->
            inventory.datasets().stream().map(Inventory.Dataset::key).anyMatch(key::equals)).toList();
        if (!held.isEmpty()) {
          told.add(caches.bus().command(inventory.node(), NodeVerb.DROP, new DropDatasets(held), Ack.class)
              .recover(failure -> Fault.of(failure) == Fault.NODE_LOST
                  ? Future.succeededFuture(Ack.ACK) : Future.failedFuture(failure)));
        }
      }
      return Future.all(told).mapEmpty();
    }));
  }

  /** Runs a step behind all restores and drops before it, and before those after it. */
  public <T> Future<T> inTurn(Supplier<Future<T>> step) {
    return steps.run("all", step);
  }

  private static ScrException first(DatasetDescriptor dataset, List<RankFailure> failed) {
    RankFailure first = failed.getFirst();
    LOG.warn("dataset {}: rank {} could not be restored: {}", dataset.id(), first.rank(), first.message());
    return new ScrException(Fault.of(first.fault()), first.message());
  }

  /** Reports newly found corruption of a dataset. */
  void tellCorrupt(DatasetDescriptor dataset, List<Inventory> before, List<Inventory> after) {
    Map<String, List<Integer>> good = goodRanks(dataset, before);
    Map<String, List<Integer>> stillGood = goodRanks(dataset, after);
    stillGood.forEach((node, ranks) -> good.getOrDefault(node, List.of()).stream()
        .filter(rank -> !ranks.contains(rank))
        .forEach(rank -> observer.notice(new Event.CorruptFound(dataset.id(), node, rank))));
  }

  private static Map<String, List<Integer>> goodRanks(DatasetDescriptor dataset, List<Inventory> inventories) {
    return inventories.stream().collect(Collectors.toMap(Inventory::node, inventory -> inventory.datasets().stream()
        .filter(held -> isOf(held, dataset)).flatMap(held -> held.ranks().stream())
        .filter(Inventory.Held::files).map(Inventory.Held::rank).toList()));
  }

  /** A store that a node cannot use fails its ranks; a node that cannot be asked fails the restore. */
  private static Future<RanksRestored> withoutStore(RestoreRanks request, Throwable failure) {
    return Fault.of(failure) != Fault.BAD_CONFIGURATION ? Future.failedFuture(failure)
        : Future.succeededFuture(new RanksRestored(request.ranks().stream()
            .filter(rank -> rank.action() != Action.KEEP)
            .map(rank -> new RankFailure(rank.rank(), Fault.BAD_CONFIGURATION.number(), failure.getMessage()))
            .toList()));
  }

  /** Carries out a plan. Not in turn; returns the ranks that could not be restored. */
  Future<List<RankFailure>> run(RestorePlan plan, List<Inventory> inventories, Target target) {
    List<Inventory.Dataset> copies = CacheSnapshot.of(inventories).copies(plan.descriptor().key()).toList();
    FlushState flush = copies.stream().map(Inventory.Dataset::flush).max(Comparator.naturalOrder())
        .orElse(FlushState.NOT_WANTED);
    String base = copies.getFirst().base();
    Origin origin = new Origin(target.prefix(), target.map().size(), copies.getFirst().origin().flush());
    StoreChecks stores = new StoreChecks(caches.bus());
    List<Future<RanksRestored>> asked = new ArrayList<>();
    plan.perNode().forEach((node, ranks) -> {
      if (ranks.stream().anyMatch(rank -> rank.action() != Action.KEEP)) {
        RestoreRanks request =
            new RestoreRanks(plan.descriptor(), origin, base, plan.redundancy(), flush, ranks);
        asked.add(stores.on(List.of(node), base).transform((_, failure) -> failure == null
            ? caches.bus().command(node, NodeVerb.RESTORE, request, RanksRestored.class)
            : withoutStore(request, failure)));
      }
    });
    return Future.join(asked).map(_ -> asked.stream().flatMap(f -> f.result().failed().stream()).toList());
  }

  private static boolean isOf(Inventory.Dataset held, DatasetDescriptor dataset) {
    return held.key().equals(dataset.key());
  }

  static DatasetKey which(DatasetDescriptor dataset) {
    return dataset.key();
  }
}
