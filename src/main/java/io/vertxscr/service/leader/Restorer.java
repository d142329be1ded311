package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.config.run.RunPolicy;
import io.vertxscr.flow.Inventory;
import io.vertxscr.flow.RestorePlan.Action;
import io.vertxscr.flow.RestorePlan;
import io.vertxscr.flow.RestorePlanner;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.descriptor.Descriptors;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Restoring.Drop;
import io.vertxscr.protocol.node.Restoring.Failed;
import io.vertxscr.protocol.node.Restoring.Protect;
import io.vertxscr.protocol.node.Restoring.Restore;
import io.vertxscr.protocol.node.Restoring.Restored;
import io.vertxscr.protocol.node.Restoring.Which;
import io.vertxscr.protocol.node.RunInfo.Last;
import io.vertxscr.protocol.node.RunInfo.Restartable;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's side of a restart (docs/flows/restart.md): goes over the checkpoints that caches and prefix directory
 * have, newest first, until the files of one are on every rank's node. On the node's loop.
 */
public final class Restorer {
  private static final Logger LOG = LoggerFactory.getLogger(Restorer.class);
  /** Plans made for one dataset: each one after the first because a source had failed meanwhile. */
  private static final int MAX_PLANS = 4;

  private final NodeBus bus;
  private final Inventories caches;
  private final PrefixFetcher prefix;
  private final Observer observer;
  private Optional<DatasetDescriptor> unprotected = Optional.empty();
  private Event.Ways ways = new Event.Ways(0, 0, 0, 0);
  private long round;

  /** Restores for the leader of a node. */
  public Restorer(NodeBus bus, Membership membership, PrefixFetcher prefix, Observer observer) {
    this.bus = bus;
    this.caches = new Inventories(bus, membership);
    this.prefix = prefix;
    this.observer = observer;
  }

  /** For whom a checkpoint is wanted, and which are not to be tried. */
  record Wanted(String prefix, RankMap map, RunPolicy policy, List<Integer> excluded) {}

  /** What was found. */
  record Found(Optional<Restartable> restart, Last last) {}

  /** A checkpoint that may be restorable: from the caches or from the prefix directory. */
  private record Candidate(DatasetDescriptor descriptor, boolean cached) {}

  /** Restores the newest that can be had; without any, completes with none. */
  Future<Found> restore(Wanted wanted) {
    long startNs = System.nanoTime();
    Set<Which> hopeless = new HashSet<>();
    return caches.all().compose(inventories -> prefix.list(wanted.prefix()).compose(flushed -> {
      List<DatasetDescriptor> cached =
          RestorePlanner.candidates(inventories, wanted.prefix(), wanted.map().size());
      List<Candidate> candidates = Stream.concat(cached.stream().map(d -> new Candidate(d, true)),
              flushed.restartable().stream().map(d -> new Candidate(d, false)))
          .filter(c -> !wanted.excluded().contains(c.descriptor().id()))
          .sorted(Comparator.comparingInt((Candidate c) -> c.descriptor().id()).reversed()
              .thenComparing(c -> !c.cached()))
          .toList();
      Last last = last(inventories, flushed.all());
      return first(candidates, hopeless, wanted)
          .compose(found -> drop(wanted, inventories, hopeless, found).map(found))
          .onSuccess(found -> found.ifPresent(d -> observer.notice(new Event.Restored(d.id(), ways, sinceUs(startNs)))))
          .map(found -> new Found(found.map(d -> new Restartable(d.id(), d.name())), last));
    }));
  }

  private static long sinceUs(long startNs) {
    return (System.nanoTime() - startNs) / 1000;
  }

  private static Last last(List<Inventory> inventories, List<DatasetDescriptor> flushed) {
    List<DatasetDescriptor> known = Stream.concat(flushed.stream(), inventories.stream()
        .flatMap(i -> i.datasets().stream()).map(Inventory.Dataset::descriptor)).toList();
    return new Last(known.stream().mapToInt(DatasetDescriptor::id).max().orElse(0),
        known.stream().mapToInt(DatasetDescriptor::checkpointId).max().orElse(0));
  }

  private Future<Optional<DatasetDescriptor>> first(List<Candidate> candidates, Set<Which> hopeless, Wanted wanted) {
    if (candidates.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    DatasetDescriptor dataset = candidates.getFirst().descriptor();
    boolean cached = candidates.getFirst().cached();
    Future<Void> attempt = cached
        ? fromCaches(dataset, wanted, 1)
        : prefix.fetch(dataset, wanted).onSuccess(_ -> {
          unprotected = Optional.of(dataset);
          ways = new Event.Ways(0, 0, 0, wanted.map().size());
        });
    return attempt.map(Optional.of(dataset)).recover(failure -> {
      if (failure instanceof ScrException e && e.fault() != Fault.INTERNAL) {
        LOG.warn("dataset {} \"{}\" is passed over: {}", dataset.id(), dataset.name(), e.getMessage());
        if (cached && (e.fault() == Fault.TOO_MANY_LOST || e.fault() == Fault.CORRUPT)) {
          hopeless.add(which(dataset));
        }
        return first(candidates.subList(1, candidates.size()), hopeless, wanted);
      }
      return Future.failedFuture(failure);
    });
  }

  private Future<Void> fromCaches(DatasetDescriptor dataset, Wanted wanted, int attempt) {
    Which which = which(dataset);
    return caches.all().compose(inventories -> {
      // before anything is read: is there a way at all?
      RestorePlanner.plan(dataset, inventories, wanted.map());
      return caches.verified(which).compose(verified -> {
        tellCorrupt(dataset, inventories, verified);
        RestorePlan plan = RestorePlanner.plan(dataset, verified, wanted.map());
        return run(plan, verified, wanted).compose(failed -> {
          if (failed.isEmpty()) {
            unprotected = plan.protectedNow() ? Optional.empty() : Optional.of(dataset);
            ways = ways(plan);
            return Future.<Void>succeededFuture();
          }
          Failed first = failed.getFirst();
          LOG.warn("dataset {}: rank {} could not be restored: {}", dataset.id(), first.rank(), first.message());
          if (attempt == MAX_PLANS || Fault.of(first.fault()) != Fault.NODE_LOST) {
            throw new ScrException(Fault.of(first.fault()), first.message());
          }
          return fromCaches(dataset, wanted, attempt + 1);
        });
      });
    });
  }

  private static Event.Ways ways(RestorePlan plan) {
    Map<Action, Long> ranks = plan.perNode().values().stream().flatMap(List::stream)
        .collect(Collectors.groupingBy(RestorePlan.RankPlan::action, Collectors.counting()));
    return new Event.Ways(ranks.getOrDefault(Action.KEEP, 0L).intValue(),
        ranks.getOrDefault(Action.MOVE, 0L).intValue(), ranks.getOrDefault(Action.REBUILD, 0L).intValue(), 0);
  }

  /** Tells of what the check of a dataset has found, which is whatever was good before and is bad now. */
  private void tellCorrupt(DatasetDescriptor dataset, List<Inventory> before, List<Inventory> after) {
    Map<String, List<Integer>> good = goodRanks(dataset, before);
    Map<String, List<Integer>> stillGood = goodRanks(dataset, after);
    stillGood.forEach((node, ranks) -> good.getOrDefault(node, List.of()).stream()
        .filter(rank -> !ranks.contains(rank))
        .forEach(rank -> observer.notice(new Event.CorruptFound(dataset.id(), node, rank))));
  }

  private static Map<String, List<Integer>> goodRanks(DatasetDescriptor dataset, List<Inventory> inventories) {
    return inventories.stream().collect(Collectors.toMap(Inventory::node, inventory -> inventory.datasets().stream()
        .filter(held -> held.descriptor().id() == dataset.id()
            && held.descriptor().createdUs() == dataset.createdUs()).flatMap(held -> held.ranks().stream())
        .filter(Inventory.Held::files).map(Inventory.Held::rank).toList()));
  }

  private Future<List<Failed>> run(RestorePlan plan, List<Inventory> inventories, Wanted wanted) {
    Origin origin = new Origin(wanted.prefix(), wanted.map().size());
    List<Inventory.Dataset> copies = copies(plan.descriptor(), inventories);
    FlushState flush = copies.stream().map(Inventory.Dataset::flush).max(Comparator.naturalOrder())
        .orElse(FlushState.NOT_WANTED);
    String base = copies.getFirst().base();
    List<Future<Restored>> asked = new ArrayList<>();
    plan.perNode().forEach((node, ranks) -> {
      if (ranks.stream().anyMatch(rank -> rank.action() != Action.KEEP)) {
        asked.add(bus.command(node, NodeVerb.RESTORE,
            new Restore(plan.descriptor(), origin, base, plan.scheme(), flush, ranks), Restored.class));
      }
    });
    return Future.all(asked).map(_ -> asked.stream().flatMap(f -> f.result().failed().stream()).toList());
  }

  private static List<Inventory.Dataset> copies(DatasetDescriptor dataset, List<Inventory> inventories) {
    return inventories.stream().flatMap(i -> i.datasets().stream())
        .filter(d -> d.descriptor().id() == dataset.id() && d.descriptor().createdUs() == dataset.createdUs())
        .toList();
  }

  private static Which which(DatasetDescriptor dataset) {
    return new Which(dataset.id(), dataset.createdUs());
  }

  /**
   * Drops what would only be in the way of the next restart: what the application could not read, and, once another one
   * is restored, what can never be. A dataset that failed for a passing reason (no room, a slow disk) stays.
   */
  private Future<Void> drop(Wanted wanted, List<Inventory> inventories, Set<Which> hopeless,
      Optional<DatasetDescriptor> restored) {
    List<Future<Ack>> told = new ArrayList<>();
    for (Inventory inventory : inventories) {
      List<Which> useless = inventory.datasets().stream()
          .filter(d -> d.origin().prefix().equals(wanted.prefix()) && d.descriptor().flags().checkpoint())
          .map(Inventory.Dataset::descriptor)
          .filter(d -> wanted.excluded().contains(d.id())
              || restored.isPresent() && restored.get().id() != d.id() && hopeless.contains(which(d)))
          .map(Restorer::which).toList();
      if (!useless.isEmpty()) {
        told.add(bus.command(inventory.node(), NodeVerb.DROP, new Drop(useless), Ack.class).otherwise(e -> {
          LOG.warn("node {} keeps stale datasets: {}", inventory.node(), e.getMessage());
          return Ack.ACK;
        }));
      }
    }
    return Future.all(told).mapEmpty();
  }

  /** Computes the redundancy that the restored dataset lacks, while the application reads it. */
  void protectBehind(RunInfo run) {
    RankMap map = run.map();
    unprotected.ifPresent(dataset -> {
      unprotected = Optional.empty();
      round = Math.max(round + 1, run.run());             // no other leader has ever used it
      Descriptors descriptors = run.policy().descriptors();
      Protect protect = new Protect(dataset.id(), round, map,
          descriptors.descriptorFor(dataset.flags(), dataset.checkpointId()), descriptors.groups());
      Which which = which(dataset);
      long startNs = System.nanoTime();
      onAll(map, NodeVerb.PROTECT, protect).compose(_ -> onAll(map, NodeVerb.PROTECT_COMMIT, which))
          .onSuccess(_ -> LOG.info("dataset {} is protected again", dataset.id()))
          .onFailure(e -> LOG.warn("dataset {} is not protected: {}", dataset.id(), e.getMessage()))
          .onSuccess(_ -> observer.notice(new Event.ProtectionCaughtUp(dataset.id(), sinceUs(startNs))))
          .onFailure(e -> observer.notice(
              new Event.ProtectionNotCaughtUp(dataset.id(), Fault.of(e), String.valueOf(e.getMessage()))));
    });
  }

  private Future<Void> onAll(RankMap map, NodeVerb verb, Object request) {
    return Future.all(map.byNode().keySet().stream()
        .map(node -> bus.command(node, verb, request, Ack.class)).toList()).mapEmpty();
  }

  /** Notes in the prefix directory that the application could not read a dataset. */
  Future<Void> markFailed(String prefixDirectory, int datasetId) {
    return prefix.markFailed(prefixDirectory, datasetId);
  }
}
