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
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;

/** A drill's result as text, and as JSON (docs/json.md). */
final class DrillPage {
  private static final int NUMBERS = 1;

  private DrillPage() {}

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
    List<DrillCheck> checks = outcome.checks(bounds);
    for (DrillCheck check : checks) {
      if (check.result() == Result.FAILED) {
        lines.add("FAILED     " + check.name() + ": " + Names.printable(check.text()));
      }
    }
    long passed = checks.stream().filter(check -> check.result() == Result.PASSED).count();
    lines.add((outcome.passed(bounds) ? "passed     " : "failed     ") + passed + " of " + checks.size() + " checks"
        + (outcome.verifiedBytes() > 0 ? ", " + Humane.bytes(outcome.verifiedBytes()) + " verified" : ""));
    return lines;
  }

  private static String loss(DrillPlan plan, DrillOutcome outcome) {
    Strike strike = plan.strike();
    if (!outcome.struck()) {
      return "none: the drill failed before it";
    }
    return String.join(", ", strike.victims()) + (strike.cacheLost() ? " with all that was stored there" : "") + " and "
        + Humane.ranks(plan.victimRanks()) + ", at step " + outcome.steps().reached() + "; "
        + (strike.spares() ? String.join(", ", plan.spares()) + " instead" : strike.cacheLost() ? "came back empty"
            : "came back")
        + (strike.hangs() ? "; the prefix directory did not answer" : "");
  }

  private static List<List<String>> times(DrillOutcome outcome) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("since the loss", "seconds", ""));
    for (Milestone milestone : Milestone.values()) {
      if (milestone == Milestone.ANSWERED && !outcome.plan().strike().hangs()) {
        continue;
      }
      OptionalDouble at = outcome.seconds(milestone);
      rows.add(List.of(milestone.words(), at.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", at.getAsDouble()),
          milestone == Milestone.FIRST_STEP ? "RTO" : ""));
    }
    return rows;
  }

  private static String seconds(OptionalDouble seconds) {
    return seconds.isEmpty() ? "unknown" : String.format(Locale.ROOT, "%.2f s", seconds.getAsDouble());
  }

  static JsonObject json(DrillOutcome outcome, DrillOutcome.Objectives bounds) {
    DrillPlan plan = outcome.plan();
    JsonObject seconds = new JsonObject();
    for (Milestone milestone : Milestone.values()) {
      put(seconds, milestone.field(), outcome.seconds(milestone));
    }
    JsonArray checks = new JsonArray();
    outcome.checks(bounds).forEach(check -> checks.add(new JsonObject().put("name", check.name())
        .put("result", check.result().name()).put("text", check.text()).put("seconds", check.seconds())));
    JsonObject json = new JsonObject()
        .put("passed", outcome.passed(bounds))
        .put("seed", plan.seed())
        .put("scheme", plan.scheme().name())
        .put("nodes", new JsonArray(plan.nodes()))
        .put("ranks", plan.work().ranks())
        .put("bytesPerRank", plan.work().bytes())
        .put("loss", new JsonObject().put("nodes", new JsonArray(plan.strike().victims()))
            .put("ranks", new JsonArray(plan.victimRanks())).put("cache", plan.strike().cacheLost())
            .put("hangSeconds", plan.strike().hangSeconds())
            .put("spares", new JsonArray(plan.spares())))
        .put("steps", new JsonObject().put("checkpoint", outcome.steps().checkpoint())
            .put("reached", outcome.steps().reached()).put("restored", outcome.steps().restored()))
        .put("seconds", seconds)
        .put("verifiedBytes", outcome.verifiedBytes())
        .put("checks", checks);
    put(json, "rtoSeconds", outcome.rtoSeconds());
    put(json, "rpoSeconds", outcome.lostSeconds());
    outcome.lostSteps().ifPresent(steps -> json.put("rpoSteps", steps));
    put(json, "maxRtoSeconds", bounds.rtoSeconds());
    put(json, "maxRpoSeconds", bounds.rpoSeconds());
    outcome.difference().ifPresent(text -> json.put("difference", text));
    outcome.failure().ifPresent(text -> json.put("failure", text));
    return JsonVersion.of(json);
  }

  private static void put(JsonObject json, String field, OptionalDouble value) {
    if (value.isPresent()) {
      json.put(field, value.getAsDouble());
    }
  }
}
