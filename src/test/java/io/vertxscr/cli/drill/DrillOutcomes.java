package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillOutcome.Objectives;
import io.vertxscr.cli.drill.DrillOutcome.DrillSteps;
import io.vertxscr.cli.drill.DrillPlan.DrillWork;
import io.vertxscr.cli.drill.DrillPlan.Strike;
import io.vertxscr.model.Scheme;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Results of drills that did not take place. */
final class DrillOutcomes {
  static final Objectives NONE = new Objectives(OptionalDouble.empty(), OptionalDouble.empty());
  private static final DrillPlan PLAN = new DrillPlan(DrillPlan.names(1, 4), new DrillWork(4, 1000, 5, 100, 2),
      Scheme.XOR, 0, new Strike(List.of("node2"), true, false, 13), 4711);

  private DrillOutcomes() {}

  /** All is well: each milestone 500 ms after the one before it. */
  static DrillOutcome good() {
    return upTo(Milestone.PROTECTED, Optional.empty(), Optional.empty());
  }

  /** It came to this milestone, and no further. */
  static DrillOutcome upTo(Milestone last, Optional<String> difference, Optional<String> failure) {
    Map<Milestone, Long> after = new EnumMap<>(Milestone.class);
    for (Milestone milestone : Milestone.values()) {
      if (milestone.compareTo(last) <= 0) {
        after.put(milestone, 500L * (milestone.ordinal() + 1));
      }
    }
    boolean verified = after.containsKey(Milestone.VERIFIED);
    return new DrillOutcome(PLAN, true, after, new DrillSteps(10, 13, verified ? 10 : -1),
        verified ? OptionalDouble.of(0.35) : OptionalDouble.empty(), difference, failure);
  }

  /** Spares take the place of the lost node. */
  static DrillOutcome withSpare() {
    return of(new Strike(List.of("node2"), true, true, 13), good());
  }

  /** The prefix directory did not answer for 3 s. @param failure why the run did not end well after that */
  static DrillOutcome hung(Milestone last, Optional<String> failure) {
    return of(PLAN.strike().hanging(3), upTo(last, Optional.empty(), failure));
  }

  /** The node hung, and came back. @param failure why the run did not end well after that */
  static DrillOutcome hidden(Milestone last, Optional<String> failure) {
    return of(new Strike(List.of("node2"), false, false, 13).hiding(), upTo(last, Optional.empty(), failure));
  }

  /** The same after another loss. */
  private static DrillOutcome of(Strike strike, DrillOutcome like) {
    return new DrillOutcome(new DrillPlan(PLAN.nodes(), PLAN.work(), PLAN.scheme(), 0, strike, PLAN.seed()), true,
        like.after(), like.steps(), like.lostSeconds(), like.difference(), like.failure());
  }

  /** The daemons did not start. */
  static DrillOutcome neverBegun() {
    return new DrillOutcome(PLAN, false, Map.of(), new DrillSteps(-1, -1, -1), OptionalDouble.empty(), Optional.empty(),
        Optional.of("node node3: its daemon has ended with exit code 1"));
  }

  /** Objectives of so many seconds. */
  static Objectives within(double rto, double rpo) {
    return new Objectives(OptionalDouble.of(rto), OptionalDouble.of(rpo));
  }
}
