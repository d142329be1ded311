package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.scrub.MendParts;
import io.vertxscr.protocol.node.scrub.Mended;
import io.vertxscr.protocol.node.scrub.RepairRequest;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Leader half of the scrub (docs/flows/scrub.md). Has parts of cached datasets made again where they are, while a run
 * goes on; in the queue of the restores. On the node's loop.
 */
public final class CacheRepairs {
  private final Inventories caches;
  private final CacheRestores restores;
  private final IntPredicate isFlushed;
  private final Observer log;

  /**
   * @param isFlushed whether a flush of this dataset is under way
   * @param log of the prefix directory; others hear of the damage from its node
   */
  public CacheRepairs(Inventories caches, CacheRestores restores, IntPredicate isFlushed, Observer log) {
    this.log = log;
    this.caches = caches;
    this.restores = restores;
    this.isFlushed = isFlushed;
  }

  /** A repair of one dataset. */
  private record Case(RepairRequest request, Inventory.Dataset dataset) {
    DatasetKey key() {
      return request.dataset();
    }
  }

  /**
   * Repairs what a node has found damaged.
   *
   * @return what could not be; fails with BUSY while the dataset is being flushed, NO_SUCH_DATASET where it is gone
   */
  public Future<Mended> repair(RepairRequest request) {
    int id = request.dataset().id();
    if (isFlushed.test(id)) {
      throw new ScrException(Fault.BUSY, "dataset " + id + " is being flushed: it is repaired behind that");
    }
    return restores.inTurn(() -> caches.all().compose(all -> {
      Case damage = new Case(request, held(all, request.node(), request.dataset()));
      return repaired(damage, all, List.of(request.node())).compose(mended -> isUnexplained(mended)
          ? afterVerification(damage, all) : Future.succeededFuture(mended))
          .onSuccess(mended -> logged(damage, damaged(all, damage, request.node()), mended));
    }));
  }

  private void logged(Case damage, List<Integer> files, Mended mended) {
    if (!damage.request().again()) {
      logged(damage, HeldPart.FILES, files, mended.files());
      logged(damage, HeldPart.REDUNDANCY, damage.request().redundancy(), mended.redundancy());
    }
  }

  private void logged(Case damage, HeldPart part, List<Integer> ranks, List<RankFailure> failed) {
    int id = damage.key().id();
    String node = damage.request().node();
    for (int rank : ranks) {
      log.notice(failed.stream().filter(failure -> failure.rank() == rank).findFirst().<Event>map(failure ->
          new Event.DamageStays(id, node, rank, part, Fault.of(failure.fault()), failure.message()))
          .orElse(new Event.DamageRepaired(id, node, rank, part, 0)));
    }
  }

  /** Something else than is known so far is damaged too. */
  private static boolean isUnexplained(Mended mended) {
    return Stream.concat(mended.files().stream(), mended.redundancy().stream())
        .anyMatch(failure -> Fault.of(failure.fault()) == Fault.CORRUPT);
  }

  private Future<Mended> afterVerification(Case damage, List<Inventory> before) {
    return caches.verified(damage.key(), true).compose(verified -> {
      restores.tellCorrupt(damage.dataset().descriptor(), before, verified);
      return repaired(damage, verified, verified.stream().map(Inventory::node).toList());
    });
  }

  /** Files first, as redundancy is made from files. */
  private Future<Mended> repaired(Case damage, List<Inventory> all, List<String> nodes) {
    List<Future<List<RankFailure>>> files = nodes.stream().map(node -> files(damage, all, node)).toList();
    return Future.all(files).compose(_ -> redundancy(damage).map(failed -> new Mended(
        files.stream().flatMap(done -> done.result().stream()).toList(), failed)));
  }

  private Future<List<RankFailure>> files(Case damage, List<Inventory> all, String node) {
    List<Integer> bad = damaged(all, damage, node);
    if (bad.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    var prospects = RestorePlanner.prospects(damage.dataset().descriptor(), all,
        new RankMap(Collections.nCopies(damage.dataset().origin().ranks(), node)));
    List<RankPlan> plans = new ArrayList<>();
    List<RankFailure> failed = new ArrayList<>();
    for (int rank : bad) {
      RestorePlanner.Prospect prospect = prospects.get(rank);
      prospect.plan().ifPresentOrElse(plans::add,
          () -> failed.add(new RankFailure(rank, Fault.TOO_MANY_LOST.number(), prospect.why())));
    }
    return mend(damage, node, plans, List.of()).map(mended ->
        Stream.concat(failed.stream(), mended.files().stream()).toList());
  }

  private static List<Integer> damaged(List<Inventory> all, Case damage, String node) {
    return all.stream().filter(inventory -> inventory.node().equals(node))
        .flatMap(inventory -> inventory.datasets().stream()).filter(damage.dataset()::sameAs)
        .flatMap(dataset -> dataset.ranks().stream()).filter(held -> !held.files()).map(Inventory.Held::rank).toList();
  }

  private Future<List<RankFailure>> redundancy(Case damage) {
    if (damage.request().redundancy().isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return caches.all().compose(all -> {
      List<RankPlan> plans = new ArrayList<>();
      List<RankFailure> failed = new ArrayList<>();
      for (int rank : damage.request().redundancy()) {
        try {
          plans.add(RestorePlanner.redundancy(damage.dataset().descriptor(), all, damage.request().node(), rank));
        } catch (ScrException e) {
          failed.add(new RankFailure(rank, e.fault().number(), e.getMessage()));
        }
      }
      return mend(damage, damage.request().node(), List.of(), plans).map(mended ->
          Stream.concat(failed.stream(), mended.redundancy().stream()).toList());
    });
  }

  private Future<Mended> mend(Case damage, String node, List<RankPlan> files, List<RankPlan> redundancy) {
    if (files.isEmpty() && redundancy.isEmpty()) {
      return Future.succeededFuture(new Mended(List.of(), List.of()));
    }
    Inventory.Dataset dataset = damage.dataset();
    RestoreRanks ranks = new RestoreRanks(dataset.descriptor(), dataset.origin(), dataset.base(),
        dataset.redundancy(), dataset.flush(), files);
    return caches.bus().command(node, NodeVerb.MEND, new MendParts(ranks, redundancy), Mended.class);
  }

  private static Inventory.Dataset held(List<Inventory> all, String node, DatasetKey which) {
    return all.stream().filter(inventory -> inventory.node().equals(node))
        .flatMap(inventory -> inventory.datasets().stream()).filter(dataset -> dataset.key().equals(which))
        .findFirst().orElseThrow(() -> new ScrException(
            Fault.NO_SUCH_DATASET, "node " + node + " does not hold dataset " + which.id() + " any more"));
  }
}
