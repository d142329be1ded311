package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks what a parameter is set to ({@link Verb#CONFIG}). Needs no run and changes nothing.
 *
 * @param environment the SCR_* variables of the process
 * @param config configuration calls of the application, in order
 * @param query a parameter, such as SCR_FLUSH, or an entry and a field, such as {@code CKPT=0 TYPE}; missing to have
 *     environment and calls checked only
 */
public record ConfigRequest(
    Optional<Map<String, String>> environment, Optional<List<String>> config, Optional<String> query) {
  /** Most variables, and most calls. */
  static final int MAX_ENTRIES = 1024;
  private static final int MAX_CHARS = 4096;

  public ConfigRequest {
    environment.ifPresent(ConfigRequest::checkEnvironment);
    config.ifPresent(ConfigRequest::checkConfig);
    query.ifPresent(text -> FieldChecks.text("query", text));
  }

  /** Refuses variables that are too many, too long, or none of ours. */
  public static void checkEnvironment(Map<String, String> environment) {
    FieldChecks.range("environment (entries)", environment.size(), 0, MAX_ENTRIES);
    environment.forEach((name, value) -> {
      if (!name.startsWith("SCR_") || name.length() >= Limits.MAX_NAME_CHARS) {
        throw FieldChecks.bad("environment", "has '" + name + "', expected names that begin with SCR_");
      }
      checkLength("environment", name, value);
    });
  }

  /** Refuses calls that are too many or too long. */
  public static void checkConfig(List<String> config) {
    FieldChecks.range("config (entries)", config.size(), 0, MAX_ENTRIES);
    config.forEach(call -> checkLength("config", "an entry", call));
  }

  private static void checkLength(String field, String name, String value) {
    if (value == null || value.length() > MAX_CHARS || value.indexOf('\0') >= 0) {
      throw FieldChecks.bad(field,
          name + " is missing, has more than " + MAX_CHARS + " characters, or a zero character");
    }
  }
}
