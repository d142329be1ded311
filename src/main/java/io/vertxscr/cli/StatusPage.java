package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Formats the daemons' answers for {@code scr status} (docs/messages.md). */
final class StatusPage {
  private StatusPage() {}

  /**
   * Returns cluster, run and its waits, then a table of the datasets. Answers that see other members stand apart (split
   * brain).
   */
  static List<String> lines(List<JsonObject> answers) {
    return lines(answers, Set.of(), false);
  }

  /**
   * Returns the page for a terminal or for scripts.
   *
   * @param dead nodes that have left their socket and do not listen there
   * @param bars whether progress is drawn, too
   */
  static List<String> lines(List<JsonObject> answers, Set<String> dead, boolean bars) {
    Set<JsonArray> clusters = new LinkedHashSet<>();
    answers.forEach(answer -> clusters.add(answer.getJsonArray("nodes")));
    List<String> lines = new ArrayList<>();
    for (JsonArray cluster : clusters) {
      List<JsonObject> members = answers.stream().filter(a -> a.getJsonArray("nodes").equals(cluster)).toList();
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.addAll(cluster(members, dead, bars));
    }
    return lines;
  }

  private static List<String> cluster(List<JsonObject> answers, Set<String> dead, boolean bars) {
    JsonObject first = answers.getFirst();
    List<String> lines = new ArrayList<>();
    String leader = first.getString("leader");
    lines.add("nodes  " + join(first.getJsonArray("nodes").stream()
        .map(node -> node.equals(leader) ? node + " (leader)" : node).toList()));
    Set<String> lost = new TreeSet<>(dead);
    answers.forEach(answer -> answer.getJsonObject("run", new JsonObject()).getJsonArray("lostNodes", new JsonArray())
        .forEach(node -> lost.add(String.valueOf(node))));
    first.getJsonArray("nodes").forEach(lost::remove);
    if (!lost.isEmpty()) {
      lines.add("lost   " + join(List.copyOf(lost)));
    }
    lines.addAll(runs(answers, leader));
    answers.stream().flatMap(answer -> answer.getJsonObject("run", new JsonObject())
        .getJsonArray("warnings", new JsonArray()).stream()).distinct()
        .forEach(warning -> lines.add("       " + warning));
    JsonObject waits = first.getJsonObject("waits");
    lines.add("state  " + waits.getString("for") + missing(waits.getJsonArray("missing")));
    first.getJsonArray("remarks", new JsonArray()).forEach(remark -> lines.add("note   " + remark));
    gaps(first).forEach((dataset, gap) -> lines.add("note   dataset " + dataset + " '" + gap.getString("name")
        + "': the files of rank " + Humane.ranges(numbers(gap.getJsonArray("missing"))) + " are on no node; "
        + (isLost(gap) ? "the nodes here cannot rebuild them: " + gap.getString("lost") : "a restart rebuilds them")));
    lines.addAll(damages(answers));
    first.getJsonArray("drains", new JsonArray())
        .forEach(drain -> lines.add("drain  " + DrainLines.of((JsonObject) drain)));
    lines.addAll(FlushLines.of(first.getJsonArray("flushes", new JsonArray()), bars));
    for (JsonObject answer : answers) {
      JsonArray here = answer.getJsonObject("run", new JsonObject()).getJsonArray("missingHere", new JsonArray());
      if (!here.isEmpty()) {
        lines.add("       on " + answer.getString("node") + " missing: ranks " + Humane.ranges(numbers(here)));
      }
    }
    List<List<String>> rows = datasets(answers);
    if (rows.size() > 1) {
      lines.add("");
      lines.addAll(TextTable.lines(rows));
    } else {
      lines.add("no datasets in the caches of " + join(answers.stream().map(a -> a.getString("node")).toList()));
    }
    return lines;
  }

  /** Returns each run once. At its end every node may have lost another rank first; the leader's cause counts. */
  private static List<String> runs(List<JsonObject> answers, String leader) {
    SortedMap<Long, String> runs = new TreeMap<>();
    for (JsonObject answer : answers) {
      JsonObject run = answer.getJsonObject("run");
      if (run != null && (answer.getString("node").equals(leader) || !runs.containsKey(run.getLong("run")))) {
        runs.put(run.getLong("run"), "run    " + run.getLong("run") + ", " + run.getInteger("ranks")
            + " ranks, prefix " + run.getString("prefix") + (run.getBoolean("finished", false) ? "; finished" : "")
            + (run.containsKey("over") ? "; over: " + run.getString("over") : ""));
      }
    }
    return List.copyOf(runs.values());
  }

  /** Returns the ranks missing in all caches together, by dataset. */
  private static SortedMap<Integer, JsonObject> gaps(JsonObject answer) {
    SortedMap<Integer, JsonObject> gaps = new TreeMap<>();
    answer.getJsonArray("gaps", new JsonArray()).forEach(gap ->
        gaps.put(((JsonObject) gap).getInteger("dataset"), (JsonObject) gap));
    return gaps;
  }

  /** Returns what the scrub has found damaged, and not repaired yet. */
  private static List<String> damages(List<JsonObject> answers) {
    List<String> lines = new ArrayList<>();
    for (JsonObject answer : answers) {
      for (Object each : answer.getJsonArray("datasets")) {
        JsonObject dataset = (JsonObject) each;
        dataset.getJsonObject("scrub", new JsonObject()).getJsonArray("damaged", new JsonArray()).forEach(problem ->
            lines.add("note   dataset " + dataset.getInteger("dataset") + " on " + answer.getString("node")
                + " is damaged: " + problem));
      }
    }
    return lines;
  }

  private static boolean isLost(JsonObject gap) {
    return !gap.getString("lost").isEmpty();
  }

  private static String protection(JsonObject dataset, SortedMap<Integer, JsonObject> gaps) {
    JsonObject gap = gaps.get(dataset.getInteger("dataset"));
    return gap == null ? dataset.getString("protection") : isLost(gap) ? "LOST" : "DEGRADED";
  }

  private static String missing(JsonArray missing) {
    return missing.isEmpty() ? "" : "; missing: " + join(missing.getList());
  }

  private static List<List<String>> datasets(List<JsonObject> answers) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("dataset", "name", "node", "ranks", "size", "scheme", "protection", "flush", "prefix"));
    SortedMap<Integer, JsonObject> gaps = gaps(answers.getFirst());
    for (JsonObject answer : answers) {
      for (Object each : answer.getJsonArray("datasets")) {
        JsonObject dataset = (JsonObject) each;
        rows.add(List.of(dataset.getInteger("dataset").toString(), dataset.getString("name"),
            answer.getString("node"),
            Humane.ranges(numbers(dataset.getJsonArray("ranksHere"))), Humane.bytes(dataset.getLong("bytesHere")),
            dataset.getString("scheme"), protection(dataset, gaps),
            dataset.getString("flush").toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
            dataset.getString("prefix", "")));
      }
    }
    return TextTable.withoutSameLast(rows);
  }

  private static String join(List<?> words) {
    return String.join(", ", words.stream().map(String::valueOf).toList());
  }

  private static List<Integer> numbers(JsonArray array) {
    return array.stream().map(n -> ((Number) n).intValue()).toList();
  }
}
