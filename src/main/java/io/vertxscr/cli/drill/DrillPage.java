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

/** A drill's result as text, and as JSON (docs/json.md). */
final class DrillPage {
  private static final int NUMBERS = 1;

  private DrillPage() {}

  /** All of it. */
  static DrillResult result(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    double end = outcome.after().values().stream().mapToLong(ms -> ms).max().orElse(0) / 1000.0;
    return new DrillResult(outcome.passed(bounds), outcome.checks(bounds), lines(outcome, bounds),
        json(outcome, bounds), properties(outcome), end);
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
      lines.addAll(TextTable.lines(times(outcome), Set.of(NUMBERS)));
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

  private static List<List<String>> times(DrillOutcome outcome) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("since the loss", "seconds", ""));
    for (Milestone milestone : Milestone.values()) {
      if (milestone == Milestone.ANSWERED && !outcome.plan().strike().hangs()
          || milestone == Milestone.RETURNED && !outcome.plan().strike().hidden()) {
        continue;
      }
      OptionalDouble at = outcome.seconds(milestone);
      rows.add(List.of(milestone.words(), at.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", at.getAsDouble()),
          milestone == Milestone.FIRST_STEP ? "RTO" : ""));
    }
    return rows;
  }

  static String seconds(OptionalDouble seconds) {
    return seconds.isEmpty() ? "unknown" : String.format(Locale.ROOT, "%.2f s", seconds.getAsDouble());
  }

  static JsonObject json(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    DrillPlan plan = outcome.plan();
    JsonObject seconds = new JsonObject();
    for (Milestone milestone : Milestone.values()) {
      put(seconds, milestone.field(), outcome.seconds(milestone));
    }
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
        .put("seconds", seconds)
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
    for (Milestone milestone : Milestone.values()) {
      outcome.seconds(milestone).ifPresent(value ->
          all.put(milestone.field() + "Seconds", JunitReport.seconds(value)));
    }
    outcome.rtoSeconds().ifPresent(value -> all.put("rtoSeconds", JunitReport.seconds(value)));
    outcome.lostSeconds().ifPresent(value -> all.put("rpoSeconds", JunitReport.seconds(value)));
    outcome.lostSteps().ifPresent(steps -> all.put("rpoSteps", "" + steps));
    return all;
  }
}
