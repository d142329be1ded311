package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_BASE;
import static io.vertxscr.config.Parameter.SCR_CACHE_SIZE;
import static io.vertxscr.config.Parameter.SCR_CLUSTER_NAME;
import static io.vertxscr.config.Parameter.SCR_CNTL_BASE;
import static io.vertxscr.config.Parameter.SCR_COPY_TYPE;
import static io.vertxscr.config.Parameter.SCR_FLUSH;
import static io.vertxscr.config.Parameter.SCR_FLUSH_ASYNC;
import static io.vertxscr.config.Parameter.SCR_JOB_ID;
import static io.vertxscr.config.Parameter.SCR_JOB_NAME;
import static io.vertxscr.config.Parameter.SCR_PREFIX;
import static io.vertxscr.config.Parameter.SCR_SET_SIZE;
import static io.vertxscr.config.Parameter.SCR_USER_NAME;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All settings of a process, checked. Immutable. */
public record Settings(CacheSettings cache, ProtectionSettings protection, FlushSettings flush, JobSettings job) {
  /**
   * Reads them from the environment and, below it, a configuration file.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming file, line and the nearest known name
   */
  public static Settings load(Map<String, String> environment, Optional<Path> systemFile) {
    return of(Effective.load(environment, systemFile));
  }

  /** The same from values that are known already. */
  public static Settings of(Effective values) {
    return new Settings(
        new CacheSettings(path(values, SCR_CNTL_BASE), path(values, SCR_CACHE_BASE), number(values, SCR_CACHE_SIZE)),
        new ProtectionSettings(
            Scheme.valueOf(text(values, SCR_COPY_TYPE).toUpperCase(Locale.ROOT)), number(values, SCR_SET_SIZE)),
        new FlushSettings(number(values, SCR_FLUSH), number(values, SCR_FLUSH_ASYNC) == 1),
        new JobSettings(
            text(values, SCR_JOB_ID), text(values, SCR_JOB_NAME), text(values, SCR_USER_NAME),
            text(values, SCR_CLUSTER_NAME), values.value(SCR_PREFIX).map(v -> Path.of(v.text()))));
  }

  private static String text(Effective values, Parameter parameter) {
    return values.value(parameter).map(Effective.Value::text).orElse("");
  }

  private static int number(Effective values, Parameter parameter) {
    return Integer.parseInt(text(values, parameter));
  }

  private static Path path(Effective values, Parameter parameter) {
    return Path.of(text(values, parameter)).normalize();
  }
}
