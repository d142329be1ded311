package io.vertxscr.cli.launch;

import java.util.List;
import java.util.Map;

/** Factory of all commands of this package. */
public final class LaunchCommands {
  private LaunchCommands() {}

  /** In the order in which help lists them. */
  public static List<Object> all(Map<String, String> environment) {
    return List.of(new RunCommand(environment), new PrerunCommand(environment),
        new PostrunCommand(environment), new ShouldExitCommand(environment), new ListDownNodesCommand(environment));
  }
}
