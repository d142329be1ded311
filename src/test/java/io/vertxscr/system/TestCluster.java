package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Scheme;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An embedded cluster of a test, with its prefix directory and ways to lose and look at things. */
final class TestCluster implements AutoCloseable {
  private final Vertx vertx;
  private final Path directory;
  private final EmbeddedCluster cluster;
  private final Path prefix;

  /** Setup: settings of the system, over {@link TestSettings}. */
  record Setup(Map<String, String> parameters) {
    static Setup of(Scheme scheme) {
      return new Setup(Map.of("SCR_COPY_TYPE", scheme.name()));
    }

    Setup with(String parameter, String value) {
      Map<String, String> more = new HashMap<>(parameters);
      more.put(parameter, value);
      return new Setup(more);
    }

    Setup cached(int datasets) {
      return with("SCR_CACHE_SIZE", "" + datasets);
    }

    Setup flushing(int every, boolean inBackground) {
      return with("SCR_FLUSH", "" + every).with("SCR_FLUSH_ASYNC", inBackground ? "1" : "0");
    }

    Setup restarting(FetchPolicy rules) {
      Setup setup = with("SCR_FETCH", flag(rules.fetch())).with("SCR_DISTRIBUTE", flag(rules.distribute()))
          .with("SCR_FLUSH_ON_RESTART", flag(rules.flushOnRestart()))
          .with("SCR_GLOBAL_RESTART", flag(rules.globalRestart()));
      return rules.current().map(name -> setup.with("SCR_CURRENT", name)).orElse(setup);
    }

    private static String flag(boolean value) {
      return value ? "1" : "0";
    }
  }

  TestCluster(Vertx vertx, Path directory, Setup setup, String... nodes) throws IOException {
    this(vertx, directory, TestSettings.in(directory, setup.parameters()), nodes);
  }

  /** With descriptors, and all that belongs to caches. */
  TestCluster(Vertx vertx, Path directory, RunPolicy policy, String... nodes) throws IOException {
    this(vertx, directory, TestSettings.in(directory, policy), nodes);
  }

  private TestCluster(Vertx vertx, Path directory, Settings settings, String... nodes) throws IOException {
    this.vertx = vertx;
    this.directory = directory;
    this.prefix = Files.createDirectories(directory.resolve("prefix"));
    this.cluster = new EmbeddedCluster(vertx, settings, true);
    List.of(nodes).forEach(cluster::start);
  }

  Path prefix() {
    return prefix;
  }

  EmbeddedCluster nodes() {
    return cluster;
  }

  EmbeddedRun run(String... nodeOfRank) {
    return new EmbeddedRun(cluster, prefix, List.of(nodeOfRank));
  }

  /** Runs from its begin to its end; what the ranks return. */
  <T> List<T> all(EmbeddedRun.Program<T> program, String... nodeOfRank) throws Exception {
    return EmbeddedRun.all(run(nodeOfRank).start(program));
  }

  /** A run that restarts where it can, writes these steps, and ends; the step of the restart. */
  int steps(int first, int last, String... nodeOfRank) throws Exception {
    List<Integer> from = all(scr -> {
      int step = RankProgram.restart(scr, 3);
      for (int next = first; next <= last; next++) {
        RankProgram.checkpoint(scr, prefix, next, 3);
      }
      scr.finish();
      return step;
    }, nodeOfRank);
    assertThat(from).containsOnly(from.getFirst());
    return from.getFirst();
  }

  /** The step that a run on these nodes restarts from, every byte checked; 0 for none. */
  int restart(String... nodeOfRank) throws Exception {
    return steps(1, 0, nodeOfRank);
  }

  /** Kills a node; its storage is gone too. */
  void lose(String node) throws IOException {
    var directories = cluster.node(node).ground().options().directories();
    Set<Path> caches = store(node).list().stream().map(record -> Path.of(record.cache().path()))
        .collect(Collectors.toSet());
    caches.add(directories.cache());
    cluster.kill(node);
    delete(directories.control());
    for (Path cache : caches) {
      delete(cache);
    }
  }

  /** Stops these nodes, deletes the storage of all, and starts them again. */
  void deleteAllStorage(String... nodes) throws IOException {
    List.of(nodes).forEach(cluster::stop);
    deleteAllStorage();
    List.of(nodes).forEach(cluster::start);
  }

  /** The storage of nodes that do not run. */
  void deleteAllStorage() throws IOException {
    delete(directory.resolve("cntl"));
    delete(directory.resolve("cache"));
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** The index of the prefix directory. */
  Index index() {
    return new PrefixIndex(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(5))).read().index();
  }

  /** Datasets of the prefix directory that a restart may take, the first choice first. */
  List<Integer> restartable() {
    return index().candidates().stream().map(entry -> entry.descriptor().id()).toList();
  }

  DatasetStore store(String node) {
    return cluster.node(node).ground().store();
  }

  Path datasetDirectory(String node, int datasetId) {
    return store(node).directory(datasetId);
  }

  DatasetRecord record(String node, int datasetId) {
    return store(node).find(datasetId).orElseThrow();
  }

  List<Integer> held(String node) {
    return store(node).list().stream().map(record -> record.descriptor().id()).toList();
  }

  JsonObject status(String node) throws Exception {
    ScrClient client = cluster.client(node);
    try {
      return new JsonObject(client.status().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS));
    } finally {
      client.close();
    }
  }

  /** Returns the node's protection status of its newest dataset. */
  String protection(String node) throws Exception {
    var datasets = status(node).getJsonArray("datasets");
    return datasets.isEmpty() ? "nothing" : datasets.getJsonObject(datasets.size() - 1).getString("protection");
  }

  /** Until leader and nodes know that the run, whose ranks are gone, is over. */
  void awaitOver(String... names) throws Exception {
    for (String node : names) {
      Eventually.holds("the end of the run on " + node, () -> {
        JsonObject status = status(node);
        return status.getJsonObject("waits").getString("for").equals("no run")
            && (!status.containsKey("run") || status.getJsonObject("run").containsKey("over"));
      });
    }
  }

  void awaitProtected(String... names) throws Exception {
    for (String node : names) {
      Eventually.holds("protection of " + node, () -> protection(node).equals("protected"));
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
