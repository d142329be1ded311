package io.vertxscr.launch;

import io.vertxscr.config.Effective;
import io.vertxscr.config.Parameter;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Configuration of the launcher.
 *
 * @param runs in all; -1 for no limit
 * @param minNodes 0 for as many as the last run had
 * @param excluded nodes to leave out
 * @param learns whether a hanging run is found by the times of its phases
 * @param watchdogMs the user's limit; empty for none
 * @param haltSeconds that must be left of the allocation for a run to begin, where the halt file says nothing; 0: any
 */
public record LaunchSettings(int runs, int minNodes, Set<String> excluded, boolean learns, OptionalLong watchdogMs,
    int haltSeconds) {
  public LaunchSettings {
    excluded = Set.copyOf(excluded);
  }

  /** @throws io.vertxscr.model.ScrException BAD_CONFIGURATION for a list of nodes that is none */
  public static LaunchSettings of(Effective values) {
    long timeoutS = number(values, Parameter.SCR_WATCHDOG_TIMEOUT);
    return new LaunchSettings(number(values, Parameter.SCR_RUNS), number(values, Parameter.SCR_MIN_NODES),
        new TreeSet<>(Hostlist.expand(text(values, Parameter.SCR_EXCLUDE_NODES))),
        number(values, Parameter.SCR_WATCHDOG) == 1,
        timeoutS == 0 ? OptionalLong.empty() : OptionalLong.of(timeoutS * 1000),
        number(values, Parameter.SCR_HALT_SECONDS));
  }

  private static int number(Effective values, Parameter parameter) {
    return Integer.parseInt(text(values, parameter));
  }

  private static String text(Effective values, Parameter parameter) {
    return values.value(parameter).map(Effective.Value::text).orElse(parameter.standard());
  }
}
