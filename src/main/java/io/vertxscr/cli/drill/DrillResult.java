package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;

/**
 * What a drill says at its end, in all its forms.
 *
 * @param lines at most 24
 * @param json as docs/json.md has it
 * @param properties of the report
 * @param seconds from the loss to the last milestone
 */
record DrillResult(boolean passed, List<DrillCheck> checks, List<String> lines, JsonObject json,
    Map<String, String> properties, double seconds) {}
