package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.LocalDaemons;
import io.vertxscr.client.ScrClient;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.Wire;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.OtherPrefixes;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.JobDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The caches of a job, as its daemons tell or, without any, as they are found on this machine.
 *
 * @param paths the prefix directory that the answer is about
 * @param caches only datasets of the prefix directory, all under one path to it
 * @param elsewhere datasets of other prefix directories
 * @param nodes all that are known; also those that hold nothing, and daemons that did not answer
 * @param from who said so, in words
 * @param ranks of the run on this prefix directory, where daemons know one
 * @param remarks for the user, in sentences
 */
record SeenCaches(PrefixPaths paths, List<Inventory> caches, List<OtherPrefixes.CachedFor> elsewhere,
    SortedSet<String> nodes, String from, OptionalInt ranks, List<String> remarks) {
  /**
   * Asks a daemon of this host, which asks the others. Where none runs, the caches of this machine are read.
   *
   * @param socket of the daemon to be asked; else all of the job are tried, unless other caches were chosen
   * @throws ScrException NODE_LOST, TIMEOUT where a daemon that was named does not answer; BAD_REQUEST where it cannot
   *     be told which prefix directory is meant; IO
   */
  static SeenCaches look(Map<String, String> environment, PrefixChoice prefix, CachesOption option,
      Optional<Path> socket) {
    List<String> remarks = new ArrayList<>();
    if (socket.isPresent()) {
      return ofDaemons(ask(socket.get()), List.of(), prefix, remarks);
    }
    Optional<JsonObject> answer = option.isOfThisJob() ? answer(sockets(environment), remarks) : Optional.empty();
    List<NodeCache> here = option.nodesIfAny(environment);
    if (answer.isEmpty()) {
      return ofThisMachine(here, prefix, remarks);
    }
    SeenCaches seen = ofDaemons(answer.get(), here, prefix, remarks);
    remarkOnSilent(here, seen);
    return seen;
  }

  /** Of the first daemon that answers; of others only the socket is left, or there is a remark. */
  private static Optional<JsonObject> answer(List<Path> sockets, List<String> remarks) {
    for (Path one : sockets) {
      try {
        return Optional.of(ask(one));
      } catch (ScrException e) {
        if (e.fault() != Fault.NODE_LOST) {
          remarks.add(e.getMessage());
        }
      }
    }
    return Optional.empty();
  }

  private static SeenCaches ofThisMachine(List<NodeCache> nodes, PrefixChoice prefix, List<String> remarks) {
    List<OtherPrefixes.CachedFor> all = nodes.stream().flatMap(OtherPrefixes.CachedFor::by).toList();
    PrefixPaths paths = prefix.among(prefixes(all), remarks);
    List<Inventory> found = nodes.stream().map(node -> node.of(paths).inventory(remarks)).toList();
    return new SeenCaches(paths, ofPrefix(found, paths), elsewhere(all, paths, remarks),
        new TreeSet<>(nodes.stream().map(NodeCache::node).toList()),
        "as the caches of this machine show; no daemon answers",
        OptionalInt.empty(), remarks);
  }

  private static SortedSet<String> prefixes(List<OtherPrefixes.CachedFor> all) {
    return all.stream().map(OtherPrefixes.CachedFor::prefix).collect(Collectors.toCollection(TreeSet::new));
  }

  /** What a daemon has left here counts again when it is started; an offline command reads it before. */
  private static void remarkOnSilent(List<NodeCache> here, SeenCaches seen) {
    PrefixPaths paths = seen.paths;
    here.stream().filter(node -> !seen.nodes.contains(node.node()) && !node.of(paths).datasets().isEmpty())
        .forEach(node -> seen.remarks.add("no daemon runs of " + node.node() + ", whose cache on this machine has "
            + Plural.of(node.of(paths).datasets().size(), "dataset") + ": what only it holds counts as lost, until its"
            + " daemon is started again"));
  }

  /** @param here caches on this machine, at which it looks itself */
  private static SeenCaches ofDaemons(
      JsonObject status, List<NodeCache> here, PrefixChoice prefix, List<String> remarks) {
    List<Inventory> found = status.getJsonArray("caches").stream()
        .map(cache -> Wire.read((JsonObject) cache, Inventory.class)).map(said -> here.stream()
            .filter(node -> node.node().equals(said.node())).findFirst()
            .map(node -> node.withoutDeleted(said, remarks)).orElse(said)).toList();
    SortedSet<String> nodes = new TreeSet<>();
    status.getJsonArray("nodes", new JsonArray()).forEach(node -> nodes.add(String.valueOf(node)));
    found.forEach(cache -> nodes.add(cache.node()));
    List<String> silent = nodes.stream()
        .filter(node -> found.stream().noneMatch(cache -> cache.node().equals(node))).toList();
    if (!silent.isEmpty()) {
      remarks.add("no answer of " + String.join(", ", silent) + ": what only these hold counts as lost");
    }
    List<OtherPrefixes.CachedFor> all = found.stream().flatMap(cache -> cache.datasets().stream().map(dataset ->
        new OtherPrefixes.CachedFor(cache.node(), dataset.descriptor(), dataset.origin().prefix()))).toList();
    PrefixPaths paths = prefix.among(prefixes(all), remarks);
    JsonObject run = status.getJsonObject("run", new JsonObject());
    boolean ofThis = run.containsKey("prefix") && PrefixDirectories.isSame(run.getString("prefix"), paths);
    return new SeenCaches(paths, ofPrefix(found, paths), elsewhere(all, paths, remarks), nodes, "as the daemons say",
        ofThis ? OptionalInt.of(run.getInteger("ranks")) : OptionalInt.empty(), remarks);
  }

  /** Runs may have called the directory by several paths. */
  private static List<Inventory> ofPrefix(List<Inventory> caches, PrefixPaths paths) {
    String path = paths.prefix().toString();
    Predicate<String> same = isSame(paths);
    List<Inventory> found = new ArrayList<>();
    for (Inventory cache : caches) {
      List<Inventory.Dataset> datasets = new ArrayList<>();
      for (Inventory.Dataset dataset : cache.datasets()) {
        Origin origin = dataset.origin();
        if (same.test(origin.prefix())) {
          datasets.add(new Inventory.Dataset(dataset.descriptor(), new Origin(path, origin.ranks(), origin.flush()),
              dataset.base(), dataset.redundancy(), dataset.flush(), dataset.ranks()));
        }
      }
      found.add(new Inventory(cache.node(), datasets));
    }
    return found;
  }

  /** Whether a path is to that directory; each is looked up once. */
  private static Predicate<String> isSame(PrefixPaths paths) {
    Map<String, Boolean> known = new HashMap<>();
    return path -> known.computeIfAbsent(path, prefix -> PrefixDirectories.isSame(prefix, paths));
  }

  private static List<OtherPrefixes.CachedFor> elsewhere(
      List<OtherPrefixes.CachedFor> all, PrefixPaths paths, List<String> remarks) {
    Predicate<String> same = isSame(paths);
    List<OtherPrefixes.CachedFor> elsewhere = all.stream().filter(held -> !same.test(held.prefix())).toList();
    if (!elsewhere.isEmpty()) {
      remarks.add("the caches also hold datasets of "
          + elsewhere.stream().map(OtherPrefixes.CachedFor::prefix).distinct().sorted()
              .collect(Collectors.joining(", "))
          + ": --prefix asks about these");
    }
    return elsewhere;
  }

  private static List<Path> sockets(Map<String, String> environment) {
    JobDirectory job = LocalDaemons.job(environment);
    try {
      return job.sockets();
    } catch (ScrException _) {
      return List.of();
    } catch (IOException e) {
      throw Faults.io(job.path(), e);
    }
  }

  private static JsonObject ask(Path socket) {
    try {
      return LocalDaemons.ask(socket, ScrClient::statusWithCaches);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while the daemon at " + socket + " was asked", e);
    }
  }

  /** {@code 8 nodes, as the daemons say}. */
  String header() {
    return Names.printable(Plural.of(nodes.size(), "node") + ", " + from);
  }
}
