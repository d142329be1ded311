package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.drill.DrillCheck.Result;
import io.vertxscr.cli.drill.DrillPlan.Strike;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;

/** A drill's result as text, and as JSON (docs/json.md). */
final class DrillPage {
  private static final int NUMBERS = 1;

  private DrillPage() {}

  /** All of it. */
  static DrillResult result(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    return new DrillResult(outcome.passed(bounds), outcome.checks(bounds), lines(outcome, bounds),
        json(outcome, bounds), properties(outcome), outcome.times().end());
  }

  /** At most 24 lines. */
  static List<String> lines(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    DrillPlan plan = outcome.plan();
    List<String> lines = new ArrayList<>();
    lines.add("drill      " + Plural.of(plan.nodes().size(), "node") + ", " + Plural.of(plan.work().ranks(), "rank")
        + " with " + Humane.bytes(plan.work().bytes()) + " each, " + plan.scheme() + ", seed " + plan.seed());
    lines.add("loss       " + loss(plan, outcome));
    if (outcome.struck()) {
      lines.add("");
      lines.addAll(TextTable.lines(outcome.times().rows(Milestone.FIRST_STEP, shown(plan.strike())), Set.of(NUMBERS)));
      lines.add("");
      outcome.lostSteps().ifPresent(steps -> lines.add("work lost  " + Plural.of(steps, "step") + ", "
          + seconds(outcome.lostSeconds()) + " (RPO): the checkpoint of step " + outcome.steps().restored()
          + " was restored"));
    }
    lines.addAll(verdict(outcome.checks(bounds), outcome.passed(bounds), outcome.verifiedBytes() > 0
        ? ", " + Humane.bytes(outcome.verifiedBytes()) + " verified" : ""));
    return lines;
  }

  /** The last lines: what failed, and how many checks passed. */
  static List<String> verdict(List<DrillCheck> checks, boolean passed, String more) {
    List<String> lines = new ArrayList<>();
    for (DrillCheck check : checks) {
      if (check.result() == Result.FAILED) {
        lines.add("FAILED     " + check.name() + ": " + Names.printable(check.text()));
      }
    }
    long good = checks.stream().filter(check -> check.result() == Result.PASSED).count();
    lines.add((passed ? "passed     " : "failed     ") + good + " of " + checks.size() + " checks" + more);
    return lines;
  }

  private static String loss(DrillPlan plan, DrillOutcome outcome) {
    Strike strike = plan.strike();
    if (!outcome.struck()) {
      return "none: the drill failed before it";
    }
    return String.join(", ", strike.victims()) + (strike.cacheLost() ? " with all that was stored there" : "") + " and "
        + Humane.ranks(plan.victimRanks()) + ", at step " + outcome.steps().reached() + "; "
        + (strike.hidden() ? "hung; " + String.join(", ", plan.spares()) + " instead until it was back"
            : strike.spares() ? String.join(", ", plan.spares()) + " instead" : strike.cacheLost() ? "came back empty"
            : "came back")
        + (strike.hangs() ? "; the prefix directory did not answer" : "");
  }

  /** What cannot be reached is not shown. */
  private static Predicate<Milestone> shown(Strike strike) {
    return milestone -> switch (milestone) {
      case ANSWERED -> strike.hangs();
      case RETURNED -> strike.hidden();
      default -> true;
    };
  }

  static String seconds(OptionalDouble seconds) {
    return seconds.isEmpty() ? "unknown" : String.format(Locale.ROOT, "%.2f s", seconds.getAsDouble());
  }

  static JsonObject json(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    DrillPlan plan = outcome.plan();
    JsonObject json = new JsonObject()
        .put("passed", outcome.passed(bounds))
        .put("seed", plan.seed())
        .put("scheme", plan.scheme().name())
        .put("nodes", new JsonArray(plan.nodes()))
        .put("ranks", plan.work().ranks())
        .put("bytesPerRank", plan.work().bytes())
        .put("loss", new JsonObject().put("nodes", new JsonArray(plan.strike().victims()))
            .put("ranks", new JsonArray(plan.victimRanks())).put("cache", plan.strike().cacheLost())
            .put("hidden", plan.strike().hidden()).put("hangSeconds", plan.strike().hangSeconds())
            .put("spares", new JsonArray(plan.spares())))
        .put("steps", new JsonObject().put("checkpoint", outcome.steps().checkpoint())
            .put("reached", outcome.steps().reached()).put("restored", outcome.steps().restored()))
        .put("seconds", outcome.times().json())
        .put("verifiedBytes", outcome.verifiedBytes())
        .put("checks", json(outcome.checks(bounds)));
    put(json, "rtoSeconds", outcome.rtoSeconds());
    put(json, "rpoSeconds", outcome.lostSeconds());
    outcome.lostSteps().ifPresent(steps -> json.put("rpoSteps", steps));
    putObjectives(json, bounds);
    outcome.difference().ifPresent(text -> json.put("difference", text));
    outcome.failure().ifPresent(text -> json.put("failure", text));
    return JsonVersion.of(json);
  }

  static JsonArray json(List<DrillCheck> checks) {
    JsonArray all = new JsonArray();
    checks.forEach(check -> all.add(new JsonObject().put("name", check.name()).put("result", check.result().name())
        .put("text", check.text()).put("seconds", check.seconds())));
    return all;
  }

  static void putObjectives(JsonObject json, DrillOutcome.Objectives bounds) {
    put(json, "maxRtoSeconds", bounds.rtoSeconds());
    put(json, "maxRpoSeconds", bounds.rpoSeconds());
  }

  static void put(JsonObject json, String field, OptionalDouble value) {
    if (value.isPresent()) {
      json.put(field, value.getAsDouble());
    }
  }

  /** The measured numbers and what was chosen, for a report. */
  private static Map<String, String> properties(DrillOutcome outcome) {
    Map<String, String> all = new LinkedHashMap<>();
    DrillPlan plan = outcome.plan();
    all.put("seed", "" + plan.seed());
    all.put("scheme", plan.scheme().name());
    all.put("nodes", "" + plan.nodes().size());
    all.put("ranks", "" + plan.work().ranks());
    all.put("bytesPerRank", "" + plan.work().bytes());
    all.put("lost", String.join(",", plan.strike().victims()));
    all.put("cacheLost", "" + plan.strike().cacheLost());
    outcome.times().describe(outcome.rtoSeconds(), outcome.lostSeconds(), all);
    outcome.lostSteps().ifPresent(steps -> all.put("rpoSteps", "" + steps));
    return all;
  }
}
