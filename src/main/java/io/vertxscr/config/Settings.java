package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_BASE;
import static io.vertxscr.config.Parameter.SCR_CLUSTER_NAME;
import static io.vertxscr.config.Parameter.SCR_CNTL_BASE;
import static io.vertxscr.config.Parameter.SCR_JOB_ID;
import static io.vertxscr.config.Parameter.SCR_JOB_NAME;
import static io.vertxscr.config.Parameter.SCR_PREFIX;
import static io.vertxscr.config.Parameter.SCR_USER_NAME;

import io.vertxscr.config.run.RunPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * All settings of a node, checked. Immutable.
 *
 * @param policy what holds for runs where their users say nothing else
 */
public record Settings(CacheSettings cache, RunPolicy policy, JobSettings job) {
  /** The value of SCR_COPY_TYPE that leaves it to the CKPT entries. */
  static final String FILE = "FILE";

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
        new CacheSettings(values.path(SCR_CNTL_BASE), values.path(SCR_CACHE_BASE)),
        RunPolicies.of(values),
        new JobSettings(
            values.text(SCR_JOB_ID), values.text(SCR_JOB_NAME), values.text(SCR_USER_NAME),
            values.text(SCR_CLUSTER_NAME), values.value(SCR_PREFIX).map(v -> Path.of(v.text()))));
  }
}
