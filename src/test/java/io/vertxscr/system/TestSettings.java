package io.vertxscr.system;

import io.vertxscr.config.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Settings of the nodes of a test, as their system's environment gives them. */
final class TestSettings {
  private TestSettings() {}

  /** Everything below this directory; one checkpoint cached with XOR, none flushed, unless the parameters say so. */
  static Settings in(Path directory, Map<String, String> parameters) {
    Map<String, String> environment = new HashMap<>(Map.of(
        "SCR_CNTL_BASE", directory.resolve("cntl").toString(),
        "SCR_CACHE_BASE", directory.resolve("cache").toString(),
        "SCR_FLUSH", "0",
        "SCR_JOB_ID", "1",
        "SCR_JOB_NAME", "test",
        "SCR_USER_NAME", "user",
        "SCR_CLUSTER_NAME", "cluster"));
    environment.putAll(parameters);
    return Settings.load(environment, Optional.empty());
  }
}
