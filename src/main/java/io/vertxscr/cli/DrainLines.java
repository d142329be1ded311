package io.vertxscr.cli;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Plural;
import java.util.List;

/** How far nodes are drained, in words (docs/messages.md). */
final class DrainLines {
  private static final int MOST_NAMED = 4;

  private DrainLines() {}

  /** {@code n3: draining 43 %}. */
  static String of(JsonObject drain) {
    String cause = drain.getString("cause");
    return brief(drain) + (cause.isEmpty() ? "" : "; " + cause);
  }

  /** Several of them on one line. */
  static String brief(List<JsonObject> drains) {
    return Plural.list(drains.stream().map(DrainLines::brief).toList(), MOST_NAMED);
  }

  private static String brief(JsonObject drain) {
    return drain.getString("node") + ": " + switch (DrainState.valueOf(drain.getString("state"))) {
      case NONE -> "not drained";
      case WAITING -> "to be drained";
      case DRAINING -> "draining " + drain.getInteger("percent") + " %";
      case STOPPED -> "cannot be drained";
      case DRAINED -> "drained";
    };
  }
}
