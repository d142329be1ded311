package io.vertxscr.cli.launch;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Factory of all commands of this package. */
public final class LaunchCommands {
  private LaunchCommands() {}

  /** In the order in which help lists them. */
  public static List<Object> all(Map<String, String> environment) {
    return List.of(new CommandLine(new RunCommand(environment)).setStopAtPositional(true),
        new PrerunCommand(environment), new PostrunCommand(environment), new ShouldExitCommand(environment),
        new ListDownNodesCommand(environment));
  }
}
