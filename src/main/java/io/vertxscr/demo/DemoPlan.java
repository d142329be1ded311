package io.vertxscr.demo;

import io.vertxscr.examples.heat.HeatProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Course of the demo.
 *
 * @param ranks spread evenly over the nodes, neighbours together
 * @param nodes those that run 1 begins with
 * @param victims nodes that die in run 1, at once
 * @param spares take the victims' places in run 2, in this order
 * @param killAfter checkpoints of run 1 that are complete when they die; the run goes on computing until then
 * @param problem with checkpoints
 * @param directory for outputs, pictures and rendezvous; empty or absent at the start
 */
public record DemoPlan(int ranks, List<String> nodes, List<String> victims, List<String> spares, int killAfter,
    HeatProblem problem, Path directory) {

  public DemoPlan {
    nodes = List.copyOf(nodes);
    victims = List.copyOf(victims);
    spares = List.copyOf(spares);
    if (victims.isEmpty() || victims.size() != spares.size() || victims.size() >= nodes.size()
        || !nodes.containsAll(victims) || nodes.stream().anyMatch(spares::contains)) {
      throw new IllegalArgumentException("the victims are some of the nodes " + nodes + ", the spares are as many"
          + " others: " + victims + ", " + spares);
    }
    if (ranks < nodes.size() || killAfter < 1 || killStep(killAfter, problem) >= problem.steps()) {
      throw new IllegalArgumentException(ranks + " ranks on " + nodes.size() + " nodes, killed after checkpoint "
          + killAfter + " of " + problem + ": every node needs a rank, and the node must die in the middle of the run");
    }
  }

  /** Nodes {@code node0} and so on; those from the middle on die after half of the checkpoints. */
  public static DemoPlan of(int ranks, int nodes, int victims, HeatProblem problem, Path directory) {
    if (victims < 1 || victims >= nodes) {
      throw new IllegalArgumentException(victims + " of " + nodes + " nodes cannot be lost: at least 1, at most "
          + (nodes - 1) + ", for the others go on");
    }
    List<String> names = names(0, nodes);
    int first = Math.min(nodes / 2, nodes - victims);
    int checkpoints = problem.checkpointEvery() == 0 ? 0 : problem.steps() / problem.checkpointEvery();
    return new DemoPlan(ranks, names, names(first, victims), names(nodes, victims),
        Math.max(1, checkpoints / 2), problem, directory);
  }

  private static List<String> names(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> "node" + i).toList();
  }

  /** All nodes, spares included. */
  public List<String> allNodes() {
    return Stream.concat(nodes.stream(), spares.stream()).toList();
  }

  /** The step of the last checkpoint that must be complete before the victims die. */
  int killStep() {
    return killStep(killAfter, problem);
  }

  private static int killStep(int checkpoints, HeatProblem problem) {
    return Math.multiplyExact(checkpoints, problem.checkpointEvery());
  }

  /** Node of each rank in run 1. */
  List<String> firstPlaces() {
    return IntStream.range(0, ranks).mapToObj(rank -> nodes.get(rank * nodes.size() / ranks)).toList();
  }

  /** Node of each rank in run 2: the same, but for the victims' ranks. */
  List<String> secondPlaces() {
    return firstPlaces().stream()
        .map(node -> victims.contains(node) ? spares.get(victims.indexOf(node)) : node).toList();
  }

  /** Ranks that die with the victims. */
  List<Integer> victimRanks() {
    return IntStream.range(0, ranks).filter(rank -> victims.contains(firstPlaces().get(rank))).boxed().toList();
  }

  /** Whether the remaining caches must suffice: every scheme of the demo tolerates the loss of one node. */
  boolean restartsFromNewest() {
    return victims.size() == 1;
  }
}
