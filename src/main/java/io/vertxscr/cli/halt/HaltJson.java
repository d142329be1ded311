package io.vertxscr.cli.halt;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Halt;
import java.nio.file.Path;

/** Halt conditions of a prefix directory as JSON (docs/json.md). */
final class HaltJson {
  private HaltJson() {}

  static JsonObject of(Path prefix, Halt before, Halt after) {
    JsonObject json = new JsonObject().put("prefix", prefix.toString()).put("halts", !after.equals(Halt.NONE))
        .mergeIn(conditions(after));
    if (!before.equals(after)) {
      json.put("before", conditions(before));
    }
    return json;
  }

  private static JsonObject conditions(Halt halt) {
    JsonObject json = new JsonObject().put("immediate", halt.immediate());
    halt.checkpointsLeft().ifPresent(left -> json.put("checkpointsLeft", left));
    halt.exitBeforeSeconds().ifPresent(time -> json.put("exitBeforeSeconds", time));
    halt.exitAfterSeconds().ifPresent(time -> json.put("exitAfterSeconds", time));
    halt.haltSeconds().ifPresent(left -> json.put("haltSeconds", left));
    halt.reason().ifPresent(reason -> json.put("reason", reason));
    return json;
  }
}
