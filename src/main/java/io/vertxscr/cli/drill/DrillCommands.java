package io.vertxscr.cli.drill;

import java.util.List;
import java.util.Map;

/** Factory of all commands of this package. */
public final class DrillCommands {
  private DrillCommands() {}

  /** In the order in which help lists them. */
  public static List<Object> all(Map<String, String> environment) {
    return List.of(new DrillCommand(environment), new DrillRankCommand());
  }
}
