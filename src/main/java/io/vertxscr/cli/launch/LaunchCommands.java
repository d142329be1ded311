package io.vertxscr.cli.launch;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Factory of all commands of this package. */
public final class LaunchCommands {
  private LaunchCommands() {}

  /** By name, in the order in which help lists them. */
  public static SequencedMap<String, Supplier<Object>> all(Map<String, String> environment) {
    SequencedMap<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put(RunCommand.NAME, () -> new RunCommand(environment));
    all.put(PrerunCommand.NAME, () -> new PrerunCommand(environment));
    all.put(PostrunCommand.NAME, () -> new PostrunCommand(environment));
    all.put(ShouldExitCommand.NAME, () -> new ShouldExitCommand(environment));
    all.put(ListDownNodesCommand.NAME, () -> new ListDownNodesCommand(environment));
    return all;
  }
}
