package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.model.Names;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr scrub}: what the background reads of the caches have found, on all nodes. */
@Command(name = ScrubCommand.NAME, description =
    "Print what the background reads of the caches and of published datasets have found, on all nodes.")
final class ScrubCommand implements Callable<Integer> {
  static final String NAME = "scrub";

  private final Map<String, String> environment;

  @Option(names = "--now", description = "Have all nodes read everything from now on, as fast as SCR_SCRUB_BW allows.")
  private boolean now;

  @Option(names = "--published", description = "Have the leader read all published datasets, as scr index --verify"
      + " does, at SCR_SCRUB_BW; what is damaged is marked, and flushed again from the caches where they hold it.")
  private boolean published;

  @Mixin
  private SocketOption socket;

  @Option(names = "--json", description = "Print the answer as JSON (docs/json.md).")
  private boolean json;

  @Spec
  private CommandSpec spec;

  ScrubCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    JsonObject answer = socket.askAny(environment, client -> client.scrub(now, published));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(answer).encodePrettily());
    } else {
      lines(answer, Clock.systemUTC().millis()).stream().map(Names::printable).forEach(out::println);
    }
    out.flush();
    return 0;
  }

  /** Nodes with their state, then a row for each dataset of each, then what is damaged. */
  static List<String> lines(JsonObject answer, long nowMs) {
    List<String> lines = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("dataset", "name", "node", "size", "last look", "found", "repaired", "state"));
    List<String> damaged = new ArrayList<>();
    for (JsonObject node : objects(answer, "nodes")) {
      String name = node.getString("node");
      int seconds = node.getInteger("roundSeconds");
      lines.add("node   " + name + ": " + node.getString("state") + ", " + (seconds == 0 ? "only when told to"
          : "everything within " + FlushLines.duration(seconds * 1000L)) + ", at most "
          + Humane.bytes(node.getLong("mostBytesPerSecond")) + "/s");
      for (JsonObject dataset : objects(node, "datasets")) {
        JsonArray bad = dataset.getJsonArray("damaged");
        rows.add(List.of(dataset.getInteger("dataset").toString(), dataset.getString("name"), name,
            Humane.bytes(dataset.getLong("bytes")), lastLook(dataset, nowMs), dataset.getInteger("found").toString(),
            dataset.getInteger("repaired").toString(), state(dataset, bad)));
        bad.forEach(problem -> damaged.add(
            "note   dataset " + dataset.getInteger("dataset") + " on " + name + ": " + problem));
      }
    }
    JsonObject published = answer.getJsonObject("published", new JsonObject().put("datasets", new JsonArray()));
    for (JsonObject dataset : objects(published, "datasets")) {
      rows.add(List.of(dataset.getInteger("dataset").toString(), dataset.getString("name"), dataset.getString("prefix"),
          Humane.bytes(dataset.getLong("bytes")), lastLook(dataset, nowMs), "", "", published(dataset)));
      if (!dataset.getString("problem").isEmpty()) {
        damaged.add("note   dataset " + dataset.getInteger("dataset") + " of " + dataset.getString("prefix") + ": "
            + dataset.getString("problem"));
      }
    }
    lines.addAll(damaged);
    if (rows.size() > 1) {
      lines.add("");
      lines.addAll(TextTable.lines(rows));
    }
    return lines;
  }

  private static String lastLook(JsonObject dataset, long nowMs) {
    Long at = dataset.getLong("lookedAtMs");
    return at == null ? "-" : FlushLines.duration(Math.max(0, nowMs - at)) + " ago";
  }

  private static String state(JsonObject dataset, JsonArray bad) {
    return !bad.isEmpty() ? "DAMAGED" : dataset.getLong("leftBytes") > 0 ? "being read" : "good";
  }

  private static String published(JsonObject dataset) {
    return !dataset.getString("problem").isEmpty() ? "DAMAGED" : dataset.getBoolean("due") ? "to be read"
        : dataset.containsKey("lookedAtMs") ? "good" : "-";
  }

  private static List<JsonObject> objects(JsonObject of, String field) {
    return of.getJsonArray(field).stream().map(JsonObject.class::cast).toList();
  }
}
