package io.vertxscr.cli.drill;

import io.vertxscr.model.Limits;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Course of a drill. Nodes and step of the loss depend on the seed and on nothing else that changes between drills.
 *
 * @param nodes that the first run uses; spares are as many others as nodes are lost
 * @param work of the program that plays the application
 * @param scheme by which its checkpoints are protected
 * @param flushEvery every n-th checkpoint goes to the prefix directory; 0 for none
 * @param strike what is lost, and when
 * @param seed of the choice, and of all bytes
 */
record DrillPlan(List<String> nodes, DrillWork work, Scheme scheme, int flushEvery, Strike strike, long seed) {
  private static final int LEAST_EVERY = 2;
  private static final int MOST_NODES = 1000;

  DrillPlan {
    nodes = List.copyOf(nodes);
    if (nodes.size() > MOST_NODES || work.ranks() < nodes.size()) {
      throw new IllegalArgumentException(work.ranks() + " ranks on " + nodes.size() + " nodes: expected at most "
          + MOST_NODES + " nodes, and a rank for each at least");
    }
    if (flushEvery < 0) {
      throw new IllegalArgumentException("--flush " + flushEvery + ": expected 0 or more");
    }
    if (nodes.size() < 2) {
      throw new IllegalArgumentException("a drill wants 2 nodes at least: one must be left when another is lost");
    }
    if (strike.victims().isEmpty() || strike.victims().size() >= nodes.size()
        || !nodes.containsAll(strike.victims())) {
      throw new IllegalArgumentException("nodes to lose: " + String.join(", ", strike.victims())
          + "; expected some of " + String.join(", ", nodes) + ", but not all");
    }
  }

  /**
   * Work of the program.
   *
   * @param ranks spread evenly over the nodes, neighbours together
   * @param bytes that each rank writes in a checkpoint, besides a header
   * @param every steps between two checkpoints
   * @param stepMs length of a step
   * @param checkpoints that are complete when nodes are lost
   */
  record DrillWork(int ranks, long bytes, int every, int stepMs, int checkpoints) {
    private static final int LONGEST_STEP_MS = 60_000;
    private static final int MOST_STEPS = 1000;

    DrillWork {
      if (ranks < 1 || ranks > Limits.MAX_RANKS || bytes < 0) {
        throw new IllegalArgumentException(ranks + " ranks with " + bytes + " bytes each: expected 1 to "
            + Limits.MAX_RANKS + " ranks, and no negative size");
      }
      if (every < LEAST_EVERY || every > MOST_STEPS || checkpoints < 1 || checkpoints > MOST_STEPS || stepMs < 1
          || stepMs > LONGEST_STEP_MS) {
        throw new IllegalArgumentException(checkpoints + " checkpoints, one every " + every + " steps of " + stepMs
            + " ms: expected 1 to " + MOST_STEPS + ", " + LEAST_EVERY + " to " + MOST_STEPS + ", 1 to "
            + LONGEST_STEP_MS);
      }
    }

    /** Step of the last checkpoint before the loss. */
    int lastCheckpoint() {
      return checkpoints * every;
    }

    /** Bytes of all files of a checkpoint. */
    long checkpointBytes() {
      return ranks * (bytes + DrillBytes.HEADER_BYTES);
    }
  }

  /**
   * What is lost, and when.
   *
   * @param victims nodes whose daemon and ranks are killed, at once
   * @param cacheLost whether all that is stored there is lost, too
   * @param spares whether other nodes take their places; else they come back
   * @param afterStep step of their ranks after which they are killed
   * @param hangSeconds for how long the prefix directory does not answer then, at least; 0 for no hang
   * @param hidden whether the daemons hang instead of being killed, and come back after the restart
   */
  record Strike(List<String> victims, boolean cacheLost, boolean spares, int afterStep, int hangSeconds,
      boolean hidden) {
    private static final int LONGEST_HANG_S = 3600;

    Strike {
      victims = victims.stream().distinct().toList();
      if (hangSeconds < 0 || hangSeconds > LONGEST_HANG_S) {
        throw new IllegalArgumentException("--hang-prefix " + hangSeconds + ": expected 0 to " + LONGEST_HANG_S
            + " seconds");
      }
      if (hidden && cacheLost) {
        throw new IllegalArgumentException("--lose-cache: a node that is hidden keeps what it has");
      }
    }

    Strike(List<String> victims, boolean cacheLost, boolean spares, int afterStep) {
      this(victims, cacheLost, spares, afterStep, 0, false);
    }

    Strike hanging(int seconds) {
      return new Strike(victims, cacheLost, spares, afterStep, seconds, hidden);
    }

    /** Others take the places of the nodes, which are not lost. */
    Strike hiding() {
      return new Strike(victims, cacheLost, true, afterStep, hangSeconds, true);
    }

    boolean hangs() {
      return hangSeconds > 0;
    }
  }

  /**
   * Chooses what has not been named.
   *
   * @param named nodes to lose; empty for one by chance
   */
  static Strike choose(long seed, List<String> nodes, DrillWork work, List<String> named, boolean cacheLost,
      boolean spares) {
    SplittableRandom random = new SplittableRandom(seed);
    // Both are drawn in any case: the step does not depend on whether the node is named.
    String any = nodes.get(random.nextInt(nodes.size()));
    int beyond = 1 + random.nextInt(work.every() - 1);
    return new Strike(named.isEmpty() ? List.of(any) : named, cacheLost, spares, work.lastCheckpoint() + beyond);
  }

  /** Names of so many nodes from {@code node<first>} on. */
  static List<String> names(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> "node" + i).toList();
  }

  /** Nodes that take the places of the victims; none where these come back. */
  List<String> spares() {
    return strike.spares() ? names(nodes.size() + 1, strike.victims().size()) : List.of();
  }

  /** The node of each rank, before the loss. */
  List<String> places() {
    return IntStream.range(0, work.ranks())
        .mapToObj(rank -> nodes.get((int) ((long) rank * nodes.size() / work.ranks()))).toList();
  }

  /** The node of each rank, after the loss. */
  List<String> placesAfter() {
    List<String> places = new ArrayList<>(places());
    if (strike.spares()) {
      places.replaceAll(node -> strike.victims().contains(node)
          ? spares().get(strike.victims().indexOf(node)) : node);
    }
    return places;
  }

  /** Ranks of the victims. */
  List<Integer> victimRanks() {
    List<String> places = places();
    return IntStream.range(0, work.ranks()).filter(rank -> strike.victims().contains(places.get(rank))).boxed()
        .toList();
  }

  /** Step at which the second run ends: after another checkpoint at least. */
  int lastStep() {
    return work.lastCheckpoint() + 2 * work.every();
  }
}
