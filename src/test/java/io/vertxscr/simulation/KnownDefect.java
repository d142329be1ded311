package io.vertxscr.simulation;

import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Outcome.Violation;
import io.vertxscr.simulation.Trouble.Kind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Violations that are expected until the defect behind them is fixed. The one who fixes a defect deletes its entry; a
 * violation that no entry explains fails the build. docs/simulation.md has the list with its seeds.
 */
enum KnownDefect {
  ;

  private final Invariant invariant;
  private final Pattern what;
  private final Set<Kind> amid;

  /** @param amid one of these faults must be in the scenario; none: any scenario */
  KnownDefect(Invariant invariant, String what, Kind... amid) {
    this.invariant = invariant;
    this.what = Pattern.compile(what, Pattern.DOTALL);
    this.amid = amid.length == 0 ? EnumSet.noneOf(Kind.class) : EnumSet.copyOf(Arrays.asList(amid));
  }

  private boolean explains(Outcome outcome, Violation violation) {
    return violation.invariant() == invariant && what.matcher(violation.what()).find()
        && (amid.isEmpty()
        || outcome.scenario().troubles().stream().anyMatch(trouble -> amid.contains(trouble.kind())));
  }

  /** The defect behind the first violation of an outcome; later ones follow from it. */
  static Optional<KnownDefect> of(Outcome outcome) {
    return Arrays.stream(values()).filter(known -> known.explains(outcome, outcome.violations().getFirst()))
        .findFirst();
  }
}
