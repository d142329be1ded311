package io.vertxscr.cli.launch;

import io.vertxscr.launch.LaunchSettings;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Finds the nodes of an allocation that a script should leave out, without daemons of ours. */
record DownNodes(Allocation allocation, LaunchSettings settings) {
  private static final int MOST_AT_ONCE = 64;

  /**
   * Returns why nodes are down, by node. Causes: known before, excluded, reported by the resource manager, or no
   * command runs there.
   *
   * @param known nodes that are down, without a test
   */
  SortedMap<String, String> find(Collection<String> known) {
    SortedMap<String, String> down = new TreeMap<>();
    List<String> names = allocation.names();
    names.stream().filter(known::contains).forEach(node -> down.put(node, "known to be down"));
    names.stream().filter(settings.excluded()::contains).forEach(node -> down.putIfAbsent(node, "excluded"));
    allocation.downByManager(names)
        .forEach(node -> down.putIfAbsent(node, allocation.manager().name() + " says that it is down"));
    if (!allocation.isHere()) {
      unreachable(names.stream().filter(node -> !down.containsKey(node)).toList())
          .forEach(node -> down.put(node, "no command can be run there"));
    }
    return down;
  }

  private List<String> unreachable(List<String> nodes) {
    Outside outside = new Outside(allocation.environment());
    Map<String, Future<Boolean>> reached = new TreeMap<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(Math.clamp(nodes.size(), 1, MOST_AT_ONCE))) {
      nodes.forEach(node -> reached.put(node, executor.submit(
          () -> outside.ask(allocation.on(node, Map.of(), List.of("true"))).isPresent())));
    }
    return nodes.stream().filter(node -> !value(reached.get(node))).toList();
  }

  private static boolean value(Future<Boolean> done) {
    try {
      return done.get();
    } catch (ExecutionException | InterruptedException _) {
      return false;
    }
  }
}
