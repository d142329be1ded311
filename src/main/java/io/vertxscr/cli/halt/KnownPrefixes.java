package io.vertxscr.cli.halt;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.LocalDaemons;
import io.vertxscr.cli.daemon.StatusQuestions;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Prefix directories that the daemons of this user and job on this host know. */
final class KnownPrefixes {
  /** A hint is not worth a longer wait. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private KnownPrefixes() {}

  /** What they know, for the end of a sentence; without any answer, that there was none. */
  static String sentence(Map<String, String> environment) {
    List<JsonObject> answers = answers(environment);
    Set<String> known = new TreeSet<>();
    answers.forEach(answer -> collect(answer, known));
    return answers.isEmpty() ? "no daemon of this user and job answers on this host, which could name it"
        : known.isEmpty() ? "the daemons of this host know of no run"
        : "the daemons of this host know " + String.join(", ", known);
  }

  private static void collect(JsonObject status, Set<String> known) {
    JsonObject cluster = status.getJsonObject("cluster", new JsonObject());
    for (JsonObject each : List.of(status, cluster)) {
      if (each.containsKey("run")) {
        known.add(each.getJsonObject("run").getString("prefix"));
      }
      if (each.containsKey("datasets")) {
        each.getJsonArray("datasets").forEach(dataset -> known.add(((JsonObject) dataset).getString("prefix")));
      }
    }
  }

  private static List<JsonObject> answers(Map<String, String> environment) {
    try {
      List<Path> sockets = LocalDaemons.job(environment).sockets();
      return new StatusQuestions(PATIENCE).ask(sockets).stream().flatMap(one -> one.answer().stream()).toList();
    } catch (ScrException | IOException _) {
      return List.of();                                   // whatever it is, only the hint is missing
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
