package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.Paint;
import io.vertxscr.model.Names;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Something an operator should look at.
 *
 * @param urgency alarm or warning
 * @param what in a sentence
 * @param command that helps or tells more, where there is one
 */
record StatusAttention(Paint urgency, String what, Optional<String> command) {
  /** In percent. */
  private static final int FULL_STORE = 90;
  private static final int FULL_PREFIX = 95;
  private static final int MOST_COMMAND_CHARS = 70;

  /** All there is, the most urgent first. @param seen the answers of the daemons of this host */
  static List<StatusAttention> of(StatusView seen) {
    List<StatusAttention> all = new ArrayList<>();
    if (seen.otherClusters() > 0) {
      all.add(alarm("the daemons of this host see different clusters: do they reach each other?",
          Optional.of("scr status --all")));
    }
    List<JsonObject> lost = seen.datasets().stream().filter(dataset -> state(dataset).equals("LOST")
        && !isFlushed(dataset) && !isReplaced(dataset, seen)).toList();
    if (!lost.isEmpty()) {
      all.add(alarm(are(lost) + " lost: " + reason(lost.getFirst()), explain(lost.getFirst())));
    }
    seen.over().ifPresent(cause -> all.add(alarm(cause + ": the run is over, start the ranks again",
        Optional.empty())));
    seen.flushes().filter(flush -> flush.containsKey("cause")).forEach(flush -> all.add(alarm(
        "flush of dataset " + flush.getInteger("datasetId") + " fails: " + flush.getString("cause"),
        seen.dataset(flush.getInteger("datasetId")).flatMap(StatusAttention::explain))));
    List<JsonObject> degraded = seen.datasets().stream().filter(dataset -> state(dataset).equals("DEGRADED")).toList();
    if (!degraded.isEmpty()) {
      all.add(warning(are(degraded) + " degraded: " + lacking(degraded.getFirst()), explain(degraded.getFirst())));
    }
    seen.drains().stream().filter(drain -> drain.getString("state").equals("STOPPED")).forEach(drain ->
        all.add(warning("node " + drain.getString("node") + " cannot be drained: " + drain.getString("cause"),
            Optional.of("scr drain --cancel " + drain.getString("node")))));
    seen.newest().filter(dataset -> !isFlushed(dataset) && !dataset.getJsonArray("fatalNodes").isEmpty())
        .ifPresent(dataset -> all.add(warning(title(dataset) + " does not survive the loss of "
            + anyOf(dataset.getJsonArray("fatalNodes"), seen.up().size()), explain(dataset))));
    fullest(seen.stores()).filter(store -> percent(store) >= FULL_STORE).ifPresent(store -> all.add(warning(
        "store " + store.getString("base") + " of node " + store.getString("node") + " is " + percent(store)
            + " % full", Optional.of("scr inspect"))));
    fullest(seen.prefixes()).filter(prefix -> percent(prefix) >= FULL_PREFIX).ifPresent(prefix -> all.add(warning(
        "prefix directory " + prefix.getString("path") + " is " + percent(prefix) + " % full",
        command("scr index --list --prefix ", prefix.getString("path"), ""))));
    Set<String> said = new LinkedHashSet<>(seen.remarks());
    said.forEach(remark -> all.add(warning(remark, Optional.empty())));
    return all;
  }

  /** The same of one daemon's answer, for the dashboard: {@code urgency}, {@code what}, perhaps {@code command}. */
  static JsonArray json(JsonObject status) {
    JsonArray all = new JsonArray();
    of(new StatusView(List.of(status), Set.of())).forEach(one -> {
      JsonObject json = new JsonObject().put("urgency", one.urgency() == Paint.ALARM ? "alarm" : "warning")
          .put("what", one.what());
      one.command().ifPresent(command -> json.put("command", command));
      all.add(json);
    });
    return all;
  }

  private static StatusAttention alarm(String what, Optional<String> command) {
    return new StatusAttention(Paint.ALARM, what, command);
  }

  private static StatusAttention warning(String what, Optional<String> command) {
    return new StatusAttention(Paint.WARNING, what, command);
  }

  static String state(JsonObject dataset) {
    return dataset.getString("state");
  }

  static boolean isFlushed(JsonObject dataset) {
    return dataset.getString("flush").equals("DONE");
  }

  /** Whether no work is lost with it: a restart takes a newer checkpoint. Nodes without ranks may keep parts of it. */
  private static boolean isReplaced(JsonObject dataset, StatusView seen) {
    return dataset.getBoolean("checkpoint") && seen.restartable("").anyMatch(newer ->
        newer.getInteger("dataset") > dataset.getInteger("dataset")
            && newer.getString("prefix").equals(dataset.getString("prefix")));
  }

  static String title(JsonObject dataset) {
    return "dataset " + dataset.getInteger("dataset") + " '" + dataset.getString("name") + "'";
  }

  /** The newest of these, and how many more. */
  private static String are(List<JsonObject> datasets) {
    return title(datasets.getFirst())
        + (datasets.size() == 1 ? " is" : " and " + (datasets.size() - 1) + " older are");
  }

  /** The sentence of the planner names the dataset, which stands before it here. */
  private static String reason(JsonObject dataset) {
    return dataset.getString("lost").replaceFirst("^dataset .*: the files of ", "the files of ");
  }

  private static String lacking(JsonObject dataset) {
    List<Integer> missing = dataset.getJsonArray("missing").stream().map(rank -> ((Number) rank).intValue()).toList();
    return missing.isEmpty() ? "redundancy is missing"
        : "the files of " + Humane.ranks(missing) + " are on no node; a restart rebuilds them";
  }

  static String anyOf(JsonArray nodes, int of) {
    return nodes.size() == 1 ? "node " + nodes.getString(0) : nodes.size() == of ? "any node"
        : "any of " + nodes.size() + " nodes";
  }

  private static Optional<String> explain(JsonObject dataset) {
    return command("scr explain --prefix ", dataset.getString("prefix"), " " + dataset.getInteger("dataset"));
  }

  /** A command line to be copied. The word DIR stands for a directory too long for a line, or with odd characters. */
  static Optional<String> command(String before, String directory, String after) {
    String quoted = directory.matches("[A-Za-z0-9_./:@%+=-]+") ? directory
        : "'" + directory.replace("'", "'\\''") + "'";
    String line = before + quoted + after;
    return Optional.of(line.length() > MOST_COMMAND_CHARS || !Names.printable(line).equals(line)
        ? before + "DIR" + after : line);
  }

  /** The fullest of those whose size is known. */
  static Optional<JsonObject> fullest(List<JsonObject> places) {
    return places.stream().filter(place -> place.getLong("wholeBytes", 0L) > 0)
        .max((a, b) -> Integer.compare(percent(a), percent(b)));
  }

  /** How full a file system is. */
  static int percent(JsonObject place) {
    double whole = place.getLong("wholeBytes");
    return (int) Math.round((whole - place.getLong("freeBytes")) / whole * 100);
  }
}
