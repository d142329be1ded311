package io.vertxscr.service.dashboard;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.advice.IntervalJson;
import io.vertxscr.service.dashboard.SeenLosses.SeenCluster;
import io.vertxscr.service.run.StatusService.ClusterStatus;
import io.vertxscr.service.run.StatusService;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The cluster on one page, for operators (docs/flows/dashboard.md). It has the status, what losses would cost, groups,
 * the best interval. Those who ask at the same time get the same answer. On the node's loop.
 */
public final class ClusterPicture {
  private static final int VERSION = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  /** A prefix directory is read so often at most, whoever asks. */
  private static final long PREFIX_NS = 5_000_000_000L;
  private static final int MOST_NODES_ASKED = 64;

  private final Loop loop;
  private final StatusService status;
  private final Prefixes prefixes;
  private final GroupDescriptors groups;
  private Future<JsonObject> underWay;
  private SeenLosses losses;
  private String read = "";
  private PrefixView view = PrefixView.unread("not read yet");
  private long readNs;

  /** Looks from a node. @param groups failure groups of nodes, as its configuration has them */
  public ClusterPicture(Loop loop, StatusService status, Prefixes prefixes, GroupDescriptors groups) {
    this.loop = loop;
    this.status = status;
    this.prefixes = prefixes;
    this.groups = groups;
  }

  /** What is so now. */
  public Future<JsonObject> now() {
    if (underWay != null) {
      return underWay;
    }
    Future<JsonObject> mine = draw();
    if (!mine.isComplete()) {
      underWay = mine;
      mine.onComplete(_ -> underWay = null);
    }
    return mine;
  }

  /**
   * What the loss of these nodes at once would cost, and whether they may be drained.
   *
   * @return fails with BAD_REQUEST for nodes that are not known, with NO_SUCH_DATASET where there is nothing to lose
   */
  public Future<JsonObject> lossOf(Collection<String> nodes) {
    if (nodes.isEmpty() || nodes.size() > MOST_NODES_ASKED) {
      return Future.failedFuture(new ScrException(
          Fault.BAD_REQUEST, nodes.size() + " nodes: expected 1 to " + MOST_NODES_ASKED));
    }
    Set<String> each = new TreeSet<>(nodes);
    return status.ofCluster().compose(this::losses).compose(seen -> seen.isEmpty()
        ? Future.failedFuture(new ScrException(Fault.NO_SUCH_DATASET, "no dataset is in the caches, and no run is on"))
        : loop.aside("what a loss would cost", () -> seen.get().of(each)));
  }

  private Future<JsonObject> draw() {
    long begunNs = loop.nanoTime();
    return status.ofCluster().compose(now -> losses(now).map(seen -> {
      JsonObject picture = new JsonObject().put("version", VERSION).put("timeMs", loop.clock().millis())
          .put("status", new JsonObject().put("version", VERSION).mergeIn(now.status()))
          .put("groups", groupsOf(now.status().getJsonArray("nodes")));
      seen.ifPresent(some -> {
        picture.put("losses", some.json());
        picture.put("interval", new JsonObject().put("version", VERSION).mergeIn(IntervalJson.of(view.failures())));
      });
      return picture.put("tookMs", (loop.nanoTime() - begunNs) / 1_000_000);
    }));
  }

  /**
   * Empty where nothing can be lost. Computed again only where something has changed. Somebody waits for it, so not on
   * a thread that yields: an application that computes leaves it next to nothing.
   */
  private Future<Optional<SeenLosses>> losses(ClusterStatus now) {
    Optional<Inventory.Dataset> newest = CacheSnapshot.of(now.caches()).copies()
        .max(Comparator.comparing(Inventory.Dataset::descriptor, DatasetDescriptor.BY_AGE));
    Optional<JsonObject> run = Optional.ofNullable(now.status().getJsonObject("cluster").getJsonObject("run"));
    if (newest.isEmpty() && run.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    String prefix = run.map(on -> on.getString("prefix")).orElseGet(() -> newest.get().origin().prefix());
    int ranks = run.map(on -> on.getInteger("ranks")).orElseGet(() -> newest.get().origin().ranks());
    Set<String> busy = Set.copyOf(texts(run.map(on -> on.getJsonArray("nodes")).orElseGet(JsonArray::new)));
    return view(prefix).compose(read -> {
      SeenCluster seen = new SeenCluster(
          now.caches(), texts(now.status().getJsonArray("nodes")), busy, prefix, ranks, read);
      if (losses != null && losses.isOf(seen)) {
        return Future.succeededFuture(Optional.of(losses));
      }
      long nowUs = loop.clock().millis() * 1000;
      return loop.aside("what losses would cost", () -> new SeenLosses(seen, nowUs)).map(fresh -> {
        losses = fresh;
        return Optional.of(fresh);
      });
    });
  }

  /** What a parallel file system does not tell in time counts as not there, and the picture says so. */
  private Future<PrefixView> view(String prefix) {
    if (prefix.equals(read) && loop.nanoTime() - readNs < PREFIX_NS) {
      return Future.succeededFuture(view);
    }
    return Future.succeededFuture().compose(_ -> prefixes.named(prefix))
        .compose(directory -> loop.prefix().ask(
            PATIENCE, "read what " + prefix + " has", () -> PrefixView.read(directory)))
        .otherwise(failure -> PrefixView.unread(String.valueOf(failure.getMessage()))).map(fresh -> {
          read = prefix;
          readNs = loop.nanoTime();
          view = fresh;
          return fresh;
        });
  }

  /** The groups that the configuration defines, with the members in each. Nodes that it does not name are in none. */
  private JsonArray groupsOf(JsonArray nodes) {
    Map<String, Map<String, JsonArray>> found = new TreeMap<>();
    texts(nodes).forEach(node -> groups.nodes().getOrDefault(node, new TreeMap<>()).forEach((group, value) ->
        found.computeIfAbsent(group, _ -> new TreeMap<>()).computeIfAbsent(value, _ -> new JsonArray()).add(node)));
    JsonArray all = new JsonArray();
    found.forEach((group, values) -> {
      JsonArray each = new JsonArray();
      values.forEach((value, members) -> each.add(new JsonObject().put("value", value).put("nodes", members)));
      all.add(new JsonObject().put("group", group).put("values", each));
    });
    return all;
  }

  private static List<String> texts(JsonArray array) {
    return array.stream().map(String::valueOf).toList();
  }
}
