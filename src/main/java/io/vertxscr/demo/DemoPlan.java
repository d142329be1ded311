package io.vertxscr.demo;

import io.vertxscr.examples.heat.HeatProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What happens in the demo.
 *
 * @param ranks spread evenly over the nodes, neighbours together
 * @param nodes those that run 1 begins with
 * @param spare takes the victim's place in run 2
 * @param victim dies in run 1
 * @param killAfter checkpoints of run 1 that are complete when it dies; the run goes on computing until then
 * @param problem with checkpoints
 * @param directory for outputs, pictures and rendezvous; empty or absent at the start
 */
public record DemoPlan(
    int ranks, List<String> nodes, String spare, String victim, int killAfter, HeatProblem problem, Path directory) {

  public DemoPlan {
    nodes = List.copyOf(nodes);
    if (!nodes.contains(victim) || nodes.contains(spare)) {
      throw new IllegalArgumentException("the victim is one of the nodes " + nodes + ", the spare is not: "
          + victim + ", " + spare);
    }
    if (ranks < nodes.size() || killAfter < 1 || killStep(killAfter, problem) >= problem.steps()) {
      throw new IllegalArgumentException(ranks + " ranks on " + nodes.size() + " nodes, killed after checkpoint "
          + killAfter + " of " + problem + ": every node needs a rank, and the node must die in the middle of the run");
    }
  }

  /** Eight ranks on four nodes and a spare; the third node dies after half of the run. */
  public static DemoPlan standard(Path directory) {
    List<String> nodes = List.of("node0", "node1", "node2", "node3");
    return new DemoPlan(8, nodes, "node4", "node2", 5, new HeatProblem(2048, 400, 40), directory);
  }

  /** The step of the last checkpoint that must be complete before the victim dies. */
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

  /** Node of each rank in run 2: the same, but for the victim's ranks. */
  List<String> secondPlaces() {
    return firstPlaces().stream().map(node -> node.equals(victim) ? spare : node).toList();
  }
}
