package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What the daemons of one host say together of their cluster (docs/json.md), of the first of several. */
final class StatusView {
  private static final int LETTERS = 26;

  private final List<JsonObject> answers;
  private final int otherClusters;
  private final JsonObject first;
  private final JsonObject cluster;
  private final Set<String> dead;

  /** @param dead nodes that have left their socket on this host and do not listen there */
  StatusView(List<JsonObject> all, Set<String> dead) {
    JsonArray members = all.getFirst().getJsonArray("nodes");
    this.answers = all.stream().filter(answer -> answer.getJsonArray("nodes").equals(members)).toList();
    this.otherClusters = all.size() - answers.size();
    String leader = all.getFirst().getString("leader");
    this.first = answers.stream().filter(answer -> answer.getString("node").equals(leader)).findFirst()
        .orElse(answers.getFirst());
    this.cluster = first.getJsonObject("cluster", new JsonObject());
    this.dead = dead;
  }

  /** Daemons of this host that belong to another cluster. */
  int otherClusters() {
    return otherClusters;
  }

  String leader() {
    return first.getString("leader");
  }

  /** Members of the cluster. */
  List<String> members() {
    return texts(first.getJsonArray("nodes"));
  }

  /** Members that the run has ranks on; all where no run is on. */
  List<String> up() {
    List<String> up = new ArrayList<>(members());
    up.removeAll(spares());
    return up;
  }

  List<String> spares() {
    return texts(cluster.getJsonArray("spares", new JsonArray()));
  }

  /** Nodes of the last run, and of this host, that are gone. */
  Set<String> lost() {
    Set<String> lost = new TreeSet<>(dead);
    runs().forEach(run -> lost.addAll(texts(run.getJsonArray("lostNodes", new JsonArray()))));
    members().forEach(lost::remove);
    return lost;
  }

  /** The run that is on, else the last one that a daemon here remembers. */
  Optional<JsonObject> run() {
    return Optional.ofNullable(cluster.getJsonObject("run")).or(this::lastRun);
  }

  private Optional<JsonObject> lastRun() {
    return runs().reduce((a, b) -> a.getLong("run") >= b.getLong("run") ? a : b);
  }

  private Stream<JsonObject> runs() {
    return Stream.concat(Stream.of(first), answers.stream().filter(answer -> answer != first))
        .flatMap(answer -> Optional.ofNullable(answer.getJsonObject("run")).stream());
  }

  /** Why the last run failed, as its leader says it; empty where it did not, or another one is on. */
  Optional<String> over() {
    return cluster.containsKey("run") ? Optional.empty()
        : lastRun().filter(run -> !run.getBoolean("finished", false)).map(run -> run.getString("over"));
  }

  boolean hasFinished() {
    return !cluster.containsKey("run") && lastRun().filter(run -> run.getBoolean("finished", false)).isPresent();
  }

  JsonObject waits() {
    return first.getJsonObject("waits");
  }

  /** Of all caches, the newest first. */
  List<JsonObject> datasets() {
    return objects(cluster, "datasets");
  }

  Optional<JsonObject> dataset(int id) {
    return datasets().stream().filter(dataset -> dataset.getInteger("dataset") == id).findFirst();
  }

  /** Prefix directories of the run and of the datasets; that of the run first. */
  List<String> owners() {
    Set<String> all = new TreeSet<>();
    datasets().forEach(dataset -> all.add(dataset.getString("prefix")));
    Set<String> owners = new LinkedHashSet<>();
    run().ifPresent(run -> owners.add(run.getString("prefix")));
    owners.addAll(all);
    return List.copyOf(owners);
  }

  /** The letter that stands for a prefix directory; empty where all datasets are of the only one. */
  Optional<String> owner(String prefix) {
    List<String> owners = owners();
    int index = owners.indexOf(prefix);
    return owners.size() < 2 || index < 0 ? Optional.empty()
        : Optional.of(index < LETTERS ? String.valueOf((char) ('a' + index)) : "?");
  }

  /**
   * The newest checkpoint that a restart could take now, from the caches or the prefix directory. Of the program that
   * runs or has run last, where that is known.
   */
  Optional<JsonObject> newest() {
    return newestWithout("");
  }

  /** The same once this node is lost. */
  Optional<JsonObject> newestWithout(String node) {
    Optional<String> mine = run().map(run -> run.getString("prefix"));
    return restartable(node).filter(dataset -> mine.isEmpty() || mine.get().equals(dataset.getString("prefix")))
        .findFirst();
  }

  /** Checkpoints that a restart could take once this node is lost; the newest first. */
  Stream<JsonObject> restartable(String without) {
    return datasets().stream().filter(dataset -> dataset.getBoolean("checkpoint")
        && !StatusAttention.state(dataset).equals("OPEN") && (StatusAttention.isFlushed(dataset)
        || !StatusAttention.state(dataset).equals("LOST") && !dataset.getJsonArray("fatalNodes").contains(without)));
  }

  /** Nodes that are to be drained. */
  List<JsonObject> drains() {
    return objects(first, "drains");
  }

  Stream<JsonObject> flushes() {
    return objects(first, "flushes").stream();
  }

  Optional<JsonObject> flush(int dataset) {
    return flushes().filter(flush -> flush.getInteger("datasetId") == dataset).findFirst();
  }

  List<JsonObject> stores() {
    return objects(cluster, "stores");
  }

  List<JsonObject> prefixes() {
    return objects(cluster, "prefixes");
  }

  /** Warnings of all daemons, each once. */
  List<String> remarks() {
    Set<String> all = new LinkedHashSet<>();
    answers.forEach(answer -> all.addAll(texts(answer.getJsonArray("remarks", new JsonArray()))));
    runs().forEach(run -> all.addAll(texts(run.getJsonArray("warnings", new JsonArray()))));
    return List.copyOf(all);
  }

  static List<String> texts(JsonArray array) {
    return array.stream().map(String::valueOf).toList();
  }

  private static List<JsonObject> objects(JsonObject of, String field) {
    return of.getJsonArray(field, new JsonArray()).stream().map(JsonObject.class::cast).toList();
  }
}
