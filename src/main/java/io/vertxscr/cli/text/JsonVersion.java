package io.vertxscr.cli.text;

import io.vertx.core.json.JsonObject;

/** Version of what commands print as JSON (docs/json.md). It grows when a field changes its meaning or goes. */
public final class JsonVersion {
  public static final int NUMBER = 1;

  private JsonVersion() {}

  /** The object with the version before its fields. */
  public static JsonObject of(JsonObject fields) {
    return new JsonObject().put("version", NUMBER).mergeIn(fields);
  }
}
