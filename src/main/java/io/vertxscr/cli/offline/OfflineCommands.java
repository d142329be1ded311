package io.vertxscr.cli.offline;

import java.util.List;
import java.util.Map;

/** Factory of all commands of this package. */
public final class OfflineCommands {
  /** Exit code: something is wrong, and was said. */
  static final int WRONG = 1;
  /** Exit code of {@code scr copy}: nothing of the dataset is here. */
  static final int NOTHING_HERE = 3;

  private OfflineCommands() {}

  /** In the order in which help lists them. */
  public static List<Object> all(Map<String, String> environment) {
    return List.of(new IndexCommand(environment), new CopyCommand(environment), new ScavengeCommand(environment),
        new InspectCommand(environment), new ExplainCommand(environment), new PrintCommand());
  }
}
