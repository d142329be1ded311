package io.vertxscr.service.dashboard;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.explain.DrainVerdict;
import io.vertxscr.explain.LossReport.Scene;
import io.vertxscr.explain.LossReport;
import io.vertxscr.explain.RestoreRates;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Exposure.Losses;
import io.vertxscr.flow.restart.Exposure.Pairs;
import io.vertxscr.flow.restart.Exposure;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestartSources;
import io.vertxscr.model.DatasetDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What losses of nodes would cost, as seen at one time. It is about each node, each pair, and any that somebody asks
 * about. Takes long for many nodes; not on the loop. Does not change.
 */
final class SeenLosses {
  /** The worst kinds of losses that are told; the others are counted. */
  private static final int MOST_KINDS = 16;
  private static final int MOST_SETS = 2_000;

  private final SeenCluster seen;
  private final Scene scene;
  private final JsonObject json;

  /**
   * From what it is computed.
   *
   * @param nodes all members
   * @param busy those with ranks of the run that is on
   * @param prefix directory that a restart would be of
   * @param ranks that it would have
   */
  record SeenCluster(List<Inventory> caches, List<String> nodes, Set<String> busy, String prefix, int ranks,
      PrefixView view) {}

  SeenLosses(SeenCluster seen, long nowUs) {
    this.seen = seen;
    RestartSources sources = new RestartSources(seen.caches(), seen.prefix(), seen.ranks(), seen.view().flushed(),
        seen.view().history(), List.of());
    this.scene = new Scene(
        Exposure.of(sources, seen.nodes()), seen.view().published()::contains, RestoreRates.NONE, nowUs);
    this.json = all();
  }

  boolean isOf(SeenCluster other) {
    return seen.equals(other);
  }

  /** What the loss of each node and of each pair would cost; what may be drained; who protects whom. */
  JsonObject json() {
    return json;
  }

  /** What the loss of these nodes at once would cost. @throws io.vertxscr.model.ScrException BAD_REQUEST */
  JsonObject of(Collection<String> nodes) {
    LossReport report = scene.report(scene.exposure().ifLost(nodes));
    DrainVerdict verdict = DrainVerdict.of(report, nodes.stream().anyMatch(seen.busy()::contains));
    return LossJson.of(report, 1, List.of(List.copyOf(nodes))).put("nodes", new JsonArray(List.copyOf(nodes)))
        .put("drain", drain(verdict));
  }

  private JsonObject all() {
    Exposure exposure = scene.exposure();
    List<Losses> one = exposure.ofEachNode();
    Pairs two = exposure.ofAnyTwo();
    JsonObject all = new JsonObject().put("prefix", seen.prefix()).put("ranks", seen.ranks())
        .put("one", kinds(one)).put("oneKinds", one.size())
        .put("two", kinds(two.losses())).put("twoKinds", two.losses().size()).put("pairsLeftOut", two.leftOut())
        .put("drain", drains(one)).put("datasets", datasets());
    seen.view().trouble().ifPresent(why -> all.put("trouble", why));
    exposure.now().offer().candidate().ifPresent(candidate -> all.put("restart", new JsonObject()
        .put("id", candidate.descriptor().id()).put("name", candidate.descriptor().name())
        .put("from", candidate.cached() ? "caches" : "prefix")
        .put("createdMs", candidate.descriptor().createdUs() / 1000)));
    exposure.datasets().stream().filter(dataset -> dataset.descriptor().flags().checkpoint()).findFirst()
        .ifPresent(newest -> all.put("layout", layout(newest)));
    return all;
  }

  private JsonArray kinds(List<Losses> losses) {
    return new JsonArray(losses.stream().limit(MOST_KINDS)
        .map(kind -> LossJson.of(scene.report(kind.outcome()), kind.count(), kind.examples())).toList());
  }

  /** Nodes with the same answer, together. */
  private JsonArray drains(List<Losses> one) {
    Map<DrainVerdict, List<String>> verdicts = new LinkedHashMap<>();
    for (Losses kind : one) {
      LossReport report = scene.report(kind.outcome());
      Map<Boolean, List<String>> byUse = new TreeMap<>();
      kind.examples().forEach(loss ->
          byUse.computeIfAbsent(seen.busy().contains(loss.getFirst()), _ -> new ArrayList<>()).add(loss.getFirst()));
      byUse.forEach((busy, nodes) ->
          verdicts.computeIfAbsent(DrainVerdict.of(report, busy), _ -> new ArrayList<>()).addAll(nodes));
    }
    JsonArray drains = new JsonArray();
    verdicts.forEach((verdict, nodes) -> drains.add(drain(verdict).put("nodes", new JsonArray(nodes))));
    return drains;
  }

  private static JsonObject drain(DrainVerdict verdict) {
    return new JsonObject().put("may", verdict.may()).put("reasons", new JsonArray(verdict.reasons()));
  }

  private JsonArray datasets() {
    JsonArray datasets = new JsonArray();
    scene.exposure().datasets().forEach(dataset -> datasets.add(new JsonObject()
        .put("id", dataset.descriptor().id()).put("createdMs", dataset.descriptor().createdUs() / 1000)));
    return datasets;
  }

  /** Where the ranks' files of a dataset are, and which nodes protect each other. */
  private JsonObject layout(Inventory.Dataset newest) {
    DatasetDescriptor dataset = newest.descriptor();
    JsonArray holders = new JsonArray();
    for (Inventory cache : seen.caches()) {
      List<Integer> ranks = cache.datasets().stream().filter(newest::sameAs).flatMap(copy -> copy.ranks().stream())
          .filter(Inventory.Held::files).map(Inventory.Held::rank).sorted().toList();
      if (!ranks.isEmpty()) {
        holders.add(new JsonObject().put("node", cache.node()).put("ranks", new JsonArray(ranks)));
      }
    }
    Set<Set<String>> sets = new HashSet<>();
    JsonArray each = new JsonArray();
    CacheSnapshot.of(seen.caches()).setsOfNodes(dataset.key()).stream().limit(MOST_SETS)
        .filter(nodes -> sets.add(Set.copyOf(nodes)))
        .forEach(nodes -> each.add(new JsonArray(List.copyOf(nodes))));
    return new JsonObject().put("id", dataset.id()).put("name", dataset.name()).put("scheme", newest.scheme().name())
        .put("holders", holders).put("sets", each);
  }
}
