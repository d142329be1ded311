package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_BASE;
import static io.vertxscr.config.Parameter.SCR_CLUSTER_NAME;
import static io.vertxscr.config.Parameter.SCR_CNTL_BASE;
import static io.vertxscr.config.Parameter.SCR_DEBUG;
import static io.vertxscr.config.Parameter.SCR_END_TIME;
import static io.vertxscr.config.Parameter.SCR_FILE_BUF_SIZE;
import static io.vertxscr.config.Parameter.SCR_HEAL_BW;
import static io.vertxscr.config.Parameter.SCR_HEAL_SECONDS;
import static io.vertxscr.config.Parameter.SCR_JOB_ID;
import static io.vertxscr.config.Parameter.SCR_JOB_NAME;
import static io.vertxscr.config.Parameter.SCR_PREFIX;
import static io.vertxscr.config.Parameter.SCR_SCAVENGE_SECONDS;
import static io.vertxscr.config.Parameter.SCR_SCRUB_BW;
import static io.vertxscr.config.Parameter.SCR_SCRUB_PREFIX_SECONDS;
import static io.vertxscr.config.Parameter.SCR_SCRUB_SECONDS;
import static io.vertxscr.config.Parameter.SCR_USER_NAME;

import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All settings of a node, checked. Immutable.
 *
 * @param policy what holds for runs where their users say nothing else
 * @param system the same as it was written, to put a user's over it
 */
public record Settings(
    CacheSettings cache, RunPolicy policy, JobSettings job, ScrubSettings scrub, HealSettings heal,
    Configuration system) {

  /**
   * Reads them from the environment and, below it, a configuration file.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming file, line and the nearest known name
   */
  public static Settings load(Map<String, String> environment, Optional<Path> systemFile) {
    return of(Configuration.ofSystem(environment, systemFile));
  }

  /** Returns the settings of the system's configuration. */
  public static Settings of(Configuration system) {
    Effective values = system.effective();
    RunPolicy policy = RunPolicies.of(values);
    return new Settings(
        new CacheSettings(values.path(SCR_CNTL_BASE), values.path(SCR_CACHE_BASE), policy.descriptors().stores(),
            Math.clamp(values.bytes(SCR_FILE_BUF_SIZE), Limits.MIN_PIECE_BYTES, Limits.MAX_PIECE_BYTES)),
        policy,
        new JobSettings(
            values.text(SCR_JOB_ID), values.text(SCR_JOB_NAME), values.text(SCR_USER_NAME),
            values.text(SCR_CLUSTER_NAME),
            values.value(SCR_PREFIX).map(v -> Path.of(v.text()).toAbsolutePath().normalize()),
            AllocationEnd.of(Map.of("SCR_END_TIME", values.text(SCR_END_TIME))),
            values.number(SCR_SCAVENGE_SECONDS)),
        new ScrubSettings(values.number(SCR_SCRUB_SECONDS), values.bytes(SCR_SCRUB_BW),
            values.number(SCR_SCRUB_PREFIX_SECONDS)),
        new HealSettings(values.number(SCR_HEAL_SECONDS), values.bytes(SCR_HEAL_BW)),
        system);
  }

  /**
   * Id of the {@code scr run} that this node serves. Empty if daemons and programs are started by hand, so that each
   * start is a launch of its own.
   */
  public Optional<String> launch() {
    return Optional.ofNullable(system.variables().get(Configuration.LAUNCH)).filter(id -> !id.isEmpty());
  }

  /**
   * Returns the effective settings of a run whose user is on this node. Reads the user's file: not for event loops.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming the place
   */
  public RunSettings of(UserSettings user) {
    return of(system.with(user).effective());
  }

  /**
   * Returns the effective settings of a user's run.
   *
   * @param sources from the node where the settings have been made
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming the place
   */
  public RunSettings of(UserSettings user, SettingsSources sources) {
    return of(system.with(user, sources).effective());
  }

  private static RunSettings of(Effective values) {
    RunPolicy policy = RunPolicies.of(values);
    return new RunSettings(policy, values.text(SCR_JOB_NAME),
        values.number(SCR_DEBUG) == 0 ? List.of() : values.lines(), RunPolicies.remarks(values, policy));
  }
}
