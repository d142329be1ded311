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

/**
 * The caches of a job, as its daemons tell or, without any, as they are found on this machine.
 *
 * @param caches only datasets of the prefix directory, all under one path to it
 * @param nodes all that are known; also those that hold nothing, and daemons that did not answer
 * @param from who said so, in words
 * @param ranks of the run on this prefix directory, where daemons know one
 * @param remarks for the user, in sentences
 */
record SeenCaches(
    List<Inventory> caches, SortedSet<String> nodes, String from, OptionalInt ranks, List<String> remarks) {
  /**
   * Asks a daemon of this host, which asks the others. Where none runs, the caches of this machine are read.
   *
   * @param socket of the daemon to be asked; else all of the job are tried, unless other caches were chosen
   * @throws ScrException NODE_LOST, TIMEOUT where a daemon that was named does not answer; IO
   */
  static SeenCaches look(Map<String, String> environment, PrefixPaths paths, CachesOption option,
      Optional<Path> socket) {
    List<String> remarks = new ArrayList<>();
    if (socket.isPresent()) {
      return ofDaemons(ask(socket.get()), paths, remarks);
    }
    if (option.isOfThisJob()) {
      for (Path one : sockets(environment)) {
        try {
          return ofDaemons(ask(one), paths, remarks);
        } catch (ScrException e) {
          if (e.fault() != Fault.NODE_LOST) {             // else only its socket is left
            remarks.add(e.getMessage());
          }
        }
      }
    }
    return ofThisMachine(option.nodesIfAny(environment), paths, remarks);
  }

  private static SeenCaches ofThisMachine(List<NodeCache> nodes, PrefixPaths paths, List<String> remarks) {
    List<Inventory> found = nodes.stream().map(node -> node.of(paths).inventory(remarks)).toList();
    SortedSet<String> others = new TreeSet<>();
    nodes.forEach(node -> node.datasets().forEach(record -> others.add(record.origin().prefix())));
    others.removeIf(other -> OtherPrefixes.isSame(other, paths));
    remarkOn(others, remarks);
    return new SeenCaches(ofPrefix(found, paths, remarks),
        new TreeSet<>(nodes.stream().map(NodeCache::node).toList()),
        "as the caches of this machine show; no daemon answers",
        OptionalInt.empty(), remarks);
  }

  private static SeenCaches ofDaemons(JsonObject status, PrefixPaths paths, List<String> remarks) {
    List<Inventory> found = status.getJsonArray("caches").stream()
        .map(cache -> Wire.read((JsonObject) cache, Inventory.class)).toList();
    SortedSet<String> nodes = new TreeSet<>();
    status.getJsonArray("nodes", new JsonArray()).forEach(node -> nodes.add(String.valueOf(node)));
    found.forEach(cache -> nodes.add(cache.node()));
    List<String> silent = nodes.stream()
        .filter(node -> found.stream().noneMatch(cache -> cache.node().equals(node))).toList();
    if (!silent.isEmpty()) {
      remarks.add("no answer of " + String.join(", ", silent) + ": what only these hold counts as lost");
    }
    JsonObject run = status.getJsonObject("run", new JsonObject());
    boolean ofThis = run.containsKey("prefix") && OtherPrefixes.isSame(run.getString("prefix"), paths);
    return new SeenCaches(ofPrefix(found, paths, remarks), nodes, "as the daemons say",
        ofThis ? OptionalInt.of(run.getInteger("ranks")) : OptionalInt.empty(), remarks);
  }

  /** Runs may have called the directory by several paths. */
  private static List<Inventory> ofPrefix(List<Inventory> caches, PrefixPaths paths, List<String> remarks) {
    String path = paths.prefix().toString();
    Map<String, Boolean> same = new HashMap<>();
    SortedSet<String> others = new TreeSet<>();
    List<Inventory> found = new ArrayList<>();
    for (Inventory cache : caches) {
      List<Inventory.Dataset> datasets = new ArrayList<>();
      for (Inventory.Dataset dataset : cache.datasets()) {
        Origin origin = dataset.origin();
        if (same.computeIfAbsent(origin.prefix(), prefix -> OtherPrefixes.isSame(prefix, paths))) {
          datasets.add(new Inventory.Dataset(dataset.descriptor(), new Origin(path, origin.ranks(), origin.flush()),
              dataset.base(), dataset.redundancy(), dataset.flush(), dataset.ranks()));
        } else {
          others.add(origin.prefix());
        }
      }
      found.add(new Inventory(cache.node(), datasets));
    }
    remarkOn(others, remarks);
    return found;
  }

  private static void remarkOn(SortedSet<String> otherPrefixes, List<String> remarks) {
    if (!otherPrefixes.isEmpty()) {
      remarks.add("the caches also hold datasets of " + String.join(", ", otherPrefixes)
          + ": --prefix asks about these");
    }
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
