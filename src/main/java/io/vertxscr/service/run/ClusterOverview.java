package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.DatasetStanding.Grade;
import io.vertxscr.flow.restart.DatasetStanding;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlanner;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.run.NodeSpace;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.run.RunView;
import io.vertxscr.protocol.node.run.StoreSpace;
import io.vertxscr.service.BoundedWait;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What all nodes together say, for the status: datasets over all caches, space, who has no rank. Space that is not told
 * in time is left out, because somebody waits for the answer. On the node's loop.
 */
final class ClusterOverview {
  /** Less than a command waits for the whole answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final GroupDescriptors groups;

  ClusterOverview(Loop loop, NodeBus bus, Membership membership, GroupDescriptors groups) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.groups = groups;
  }

  /** Returns it in JSON (docs/messages.md). Does not fail. */
  Future<JsonObject> of(OpenWaits waits, List<Inventory> caches) {
    CacheSnapshot snapshot = CacheSnapshot.of(caches);
    List<Inventory.Dataset> datasets = snapshot.datasets(_ -> true);
    Future<JsonArray> stores = stores();
    Future<JsonArray> prefixes = prefixes(waits.run(), datasets);
    return Future.all(stores, prefixes).map(_ -> {
      int newest = datasets.stream().mapToInt(dataset -> dataset.descriptor().id()).max().orElse(0);
      JsonArray each = new JsonArray();
      datasets.stream().sorted((a, b) -> Integer.compare(b.descriptor().id(), a.descriptor().id()))
          .forEach(copy -> each.add(protection(dataset(copy, caches,
              waits.run().isPresent() && copy.descriptor().id() == newest, flush(snapshot, copy.key())),
              waits.healings().stream().filter(healing -> healing.dataset().equals(copy.key())).findFirst())));
      JsonObject json = new JsonObject().put("spares", new JsonArray(spares(waits)))
          .put("datasets", each).put("stores", stores.result()).put("prefixes", prefixes.result());
      waits.run().ifPresent(run -> json.put("run", new JsonObject().put("run", run.run())
          .put("jobName", run.jobName()).put("prefix", run.prefix()).put("ranks", run.ranks())
          .put("nodes", new JsonArray(run.nodes()))));
      return json;
    });
  }

  /** Returns the nodes that the run does without; none where no run has begun. */
  private List<String> spares(OpenWaits waits) {
    Set<String> busy = new HashSet<>(waits.run().map(RunView::nodes).orElse(List.of()));
    return waits.run().isEmpty() ? List.of()
        : membership.nodes().stream().map(NodeInfo::name).filter(node -> !busy.contains(node)).toList();
  }

  private JsonObject dataset(
      Inventory.Dataset copy, List<Inventory> caches, boolean underWay, FlushState flush) {
    int ranks = copy.origin().ranks();
    DatasetStanding seen = RestorePlanner.standing(copy.descriptor(), caches, ranks, groups);
    DatasetStanding standing = underWay ? seen.underWay() : seen;
    return new JsonObject().put("dataset", copy.descriptor().id()).put("name", copy.descriptor().name())
        .put("prefix", copy.origin().prefix()).put("checkpoint", copy.descriptor().flags().checkpoint())
        .put("scheme", copy.scheme().name()).put("ranks", ranks)
        .put("bytes", copy.descriptor().totals().bytes()).put("state", standing.state().name())
        .put("missing", new JsonArray(standing.missing())).put("lost", standing.lost())
        .put("nodes", new JsonArray(standing.nodes())).put("fatalNodes", new JsonArray(standing.fatal()))
        .put("flush", flush.name());
  }

  /** Adds its state in words for people, and how far its healing is. */
  private static JsonObject protection(JsonObject dataset, Optional<HealView> healing) {
    return switch (Grade.valueOf(dataset.getString("state"))) {
      case FULL -> dataset.put("protection", "full");
      case SINGLE -> dataset.put("protection", "none");
      case LOST -> dataset.put("protection", "lost");
      case OPEN -> dataset.put("protection", "pending");
      case DEGRADED -> healing.map(one -> one.active()
          ? dataset.put("protection", "healing " + one.percent() + " %").put("healedPercent", one.percent())
          : dataset.put("protection", "degraded").put("notHealed", one.cause()))
          .orElseGet(() -> dataset.put("protection", "degraded"));
    };
  }

  /** A node that was away may not have heard that the dataset was flushed. */
  private static FlushState flush(CacheSnapshot caches, DatasetKey key) {
    Set<FlushState> said = new HashSet<>(caches.copies(key).map(Inventory.Dataset::flush).toList());
    return said.contains(FlushState.DONE) ? FlushState.DONE
        : said.contains(FlushState.WANTED) ? FlushState.WANTED : FlushState.NOT_WANTED;
  }

  private Future<JsonArray> stores() {
    Map<String, Future<NodeSpace>> asked = new LinkedHashMap<>();
    membership.nodes().forEach(node -> asked.put(node.name(),
        BoundedWait.of(loop, PATIENCE, bus.ask(node.name(), NodeVerb.SPACE, Ack.ACK, NodeSpace.class),
            NodeSpace.UNKNOWN)));
    return Future.all(List.copyOf(asked.values())).map(_ -> {
      JsonArray stores = new JsonArray();
      asked.forEach((node, answer) -> answer.result().stores().forEach(one -> stores.add(store(node, one))));
      return stores;
    });
  }

  private static JsonObject store(String node, StoreSpace space) {
    return new JsonObject().put("node", node).put("base", space.base()).put("freeBytes", space.freeBytes())
        .put("wholeBytes", space.wholeBytes()).put("usedBytes", space.usedBytes());
  }

  private Future<JsonArray> prefixes(Optional<RunView> run, Collection<Inventory.Dataset> datasets) {
    Set<String> named = new TreeSet<>();
    run.ifPresent(on -> named.add(on.prefix()));
    datasets.forEach(copy -> named.add(copy.origin().prefix()));
    List<Future<JsonObject>> looked = named.stream().map(name -> {
      JsonObject unknown = new JsonObject().put("path", name);
      return BoundedWait.of(loop, PATIENCE, loop.prefix().ask(PATIENCE, "look for space in " + name, () -> {
        Path path = loop.files().path(name);
        return unknown.copy().put("freeBytes", LocalFiles.usableBytes(path))
            .put("wholeBytes", LocalFiles.wholeBytes(path));
      }), unknown);
    }).toList();
    return Future.all(looked).map(_ -> {
      JsonArray prefixes = new JsonArray();
      looked.forEach(one -> prefixes.add(one.result()));
      return prefixes;
    });
  }
}
