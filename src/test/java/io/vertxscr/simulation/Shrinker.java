package io.vertxscr.simulation;

import io.vertxscr.simulation.Outcome.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes a failing scenario smaller for as long as it violates the same invariant. It has fewer faults, runs,
 * checkpoints, spares, ranks, files and nodes. A smaller one has another order of events, so some reductions fail by
 * chance.
 */
final class Shrinker {
  private static final int MOST_TRIES = 200;

  private final Invariant invariant;
  private Outcome smallest;
  private int tries;

  private Shrinker(Outcome failed) {
    this.smallest = failed;
    this.invariant = failed.violations().getFirst().invariant();
  }

  /** The smallest outcome found that violates what the given one does. */
  static Outcome shrink(Outcome failed) {
    Shrinker shrinker = new Shrinker(failed);
    while (shrinker.tries < MOST_TRIES && shrinker.smaller().stream().anyMatch(shrinker::stillFails)) {
      // again, from there
    }
    return shrinker.smallest;
  }

  private boolean stillFails(Scenario scenario) {
    if (++tries > MOST_TRIES) {
      return false;
    }
    Outcome outcome = Simulation.run(scenario, false);
    boolean fails = outcome.failed() && outcome.violations().getFirst().invariant() == invariant;
    if (fails) {
      smallest = outcome;
    }
    return fails;
  }

  private List<Scenario> smaller() {
    Scenario now = smallest.scenario();
    List<Scenario> all = new ArrayList<>();
    for (int i = 0; i < now.troubles().size(); i++) {
      List<Trouble> fewer = new ArrayList<>(now.troubles());
      fewer.remove(i);
      all.add(now.with(fewer));
    }
    if (!now.variant().equals(Scenario.Variant.PLAIN)) {
      all.add(now.with(Scenario.Variant.PLAIN));
      now.variant().simpler().forEach(variant -> all.add(now.with(variant)));
    }
    List<Integer> steps = now.steps();
    if (steps.size() > 1) {
      all.add(now.with(now.nodes(), now.spares(), now.ranksPerNode(), now.files(), steps.subList(0, steps.size() - 1)));
    }
    IntStream.range(0, steps.size()).filter(run -> steps.get(run) > 1).forEach(run -> {
      List<Integer> fewer = new ArrayList<>(steps);
      fewer.set(run, 1);
      all.add(now.with(now.nodes(), now.spares(), now.ranksPerNode(), now.files(), fewer));
    });
    if (now.spares() > 0) {
      all.add(now.with(now.nodes(), now.spares() - 1, now.ranksPerNode(), now.files(), steps));
    }
    if (now.ranksPerNode() > 1) {
      all.add(now.with(now.nodes(), now.spares(), 1, now.files(), steps));
    }
    if (now.files() > 1) {
      all.add(now.with(now.nodes(), now.spares(), now.ranksPerNode(), 1, steps));
    }
    if (now.nodes() > now.leastNodes() && now.nodes() > 2) {
      all.add(now.with(now.nodes() - 1, now.spares(), now.ranksPerNode(), now.files(), steps));
    }
    return all;
  }
}
