package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.model.Names;
import io.vertxscr.model.Plural;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The result of a drill on a run that is not its own, as text, and as JSON (docs/json.md). */
final class LivePage {
  private static final int NUMBERS = 1;

  private LivePage() {}

  static DrillResult result(LiveOutcome outcome, DrillOutcome.Objectives bounds) {
    return new DrillResult(outcome.passed(bounds), outcome.checks(bounds), lines(outcome, bounds),
        json(outcome, bounds), properties(outcome), outcome.times().end());
  }

  /** At most 24 lines. */
  static List<String> lines(LiveOutcome outcome, DrillOutcome.Objectives bounds) {
    LivePlan plan = outcome.plan();
    List<String> lines = new ArrayList<>();
    lines.add("drill      " + Names.printable("run of job '" + plan.run().jobName() + "' in " + plan.run().prefix())
        + ": " + Plural.of(plan.run().ranks(), "rank") + " on " + Plural.of(plan.run().nodes().size(), "node"));
    lines.add("loss       " + String.join(", ", plan.victims()));
    lines.add("");
    lines.addAll(TextTable.lines(outcome.times().rows(LiveMilestone.READ, _ -> true), Set.of(NUMBERS)));
    lines.add("");
    if (outcome.restored() > 0) {
      lines.add("work lost  " + DrillPage.seconds(outcome.lostSeconds()) + " (RPO): dataset " + outcome.restored()
          + " was restored, " + outcome.ways());
    }
    outcome.unverified().ifPresent(why -> lines.add("note       its bytes were not verified: " + why));
    lines.addAll(DrillPage.verdict(outcome.checks(bounds), outcome.passed(bounds), ""));
    return lines;
  }

  static JsonObject json(LiveOutcome outcome, DrillOutcome.Objectives bounds) {
    LivePlan plan = outcome.plan();
    JsonObject json = new JsonObject()
        .put("passed", outcome.passed(bounds))
        .put("seed", plan.seed())
        .put("run", plan.run().run())
        .put("jobName", plan.run().jobName())
        .put("prefix", plan.run().prefix())
        .put("nodes", new JsonArray(plan.run().nodes()))
        .put("ranks", plan.run().ranks())
        .put("loss", new JsonArray(plan.victims()))
        .put("checkpoint", outcome.checkpoint())
        .put("restored", outcome.restored())
        .put("seconds", outcome.times().json())
        .put("checks", DrillPage.json(outcome.checks(bounds)));
    DrillPage.put(json, "rtoSeconds", outcome.rtoSeconds());
    DrillPage.put(json, "rpoSeconds", outcome.lostSeconds());
    DrillPage.putObjectives(json, bounds);
    outcome.difference().ifPresent(text -> json.put("difference", text));
    outcome.unverified().ifPresent(text -> json.put("unverified", text));
    outcome.failure().ifPresent(text -> json.put("failure", text));
    return JsonVersion.of(json);
  }

  private static Map<String, String> properties(LiveOutcome outcome) {
    Map<String, String> all = new LinkedHashMap<>();
    LivePlan plan = outcome.plan();
    all.put("seed", "" + plan.seed());
    all.put("prefix", plan.run().prefix());
    all.put("nodes", "" + plan.run().nodes().size());
    all.put("ranks", "" + plan.run().ranks());
    all.put("lost", String.join(",", plan.victims()));
    outcome.times().describe(outcome.rtoSeconds(), outcome.lostSeconds(), all);
    return all;
  }
}
