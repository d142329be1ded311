package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;

/**
 * A drill on a run that is not its own: which nodes it loses, and how. Pure.
 *
 * @param victims nodes of the run
 * @param command of a shell, with {@code {node}} for the name of the node
 */
record LivePlan(LiveRun run, List<String> victims, String command, long seed) {
  /** Stands for the name of the node in the command. */
  static final String NODE = "{node}";

  /**
   * The run, as the daemons tell it.
   *
   * @param nodes with ranks of it
   */
  record LiveRun(long run, String jobName, String prefix, int ranks, List<String> nodes) {
    /** Reads {@code cluster.run} of a status. */
    static LiveRun of(JsonObject said) {
      return new LiveRun(said.getLong("run"), said.getString("jobName"), said.getString("prefix"),
          said.getInteger("ranks"), names(said.getJsonArray("nodes")));
    }
  }

  /**
   * Chooses the nodes. By chance it takes one that is not asked, as long as there is one.
   *
   * @param named by the user; empty for one by chance
   * @param asked nodes of the daemons that the drill asks; not all of them can be lost
   * @throws IllegalArgumentException where that cannot be, in a sentence
   */
  static LivePlan choose(LiveRun run, List<String> named, Collection<String> asked, String command, long seed) {
    if (!command.contains(NODE)) {
      throw new IllegalArgumentException("--kill-command: there is no " + NODE + " in it");
    }
    named.stream().filter(node -> !run.nodes().contains(node)).findFirst().ifPresent(node -> {
      throw new IllegalArgumentException("--kill-node " + node + ": the run has no ranks there; its nodes are "
          + String.join(", ", run.nodes()));
    });
    List<String> victims = named;
    if (named.isEmpty()) {
      List<String> others = new ArrayList<>(run.nodes());
      others.removeAll(asked);
      List<String> from = others.isEmpty() ? run.nodes() : others;
      victims = List.of(from.get(new Random(seed).nextInt(from.size())));
    }
    if (victims.containsAll(asked)) {
      throw new IllegalArgumentException("nobody is left to ask: start the drill on a node that is not to be lost ("
          + String.join(", ", asked) + " would be)");
    }
    return new LivePlan(run, victims.stream().distinct().toList(), command, seed);
  }

  /** The command for one of them. Names of nodes have no characters that mean anything to a shell. */
  String commandFor(String node) {
    return command.replace(NODE, node);
  }

  static List<String> names(JsonArray array) {
    return array.stream().map(String.class::cast).toList();
  }
}
