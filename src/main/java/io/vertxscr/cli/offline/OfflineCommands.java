package io.vertxscr.cli.offline;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Factory of all commands of this package. */
public final class OfflineCommands {
  /** Exit code: something is wrong, and was said. */
  static final int WRONG = 1;
  /** Exit code of {@code scr copy}: nothing of the dataset is here. */
  static final int NOTHING_HERE = 3;

  private OfflineCommands() {}

  /** By name, in the order in which help lists them. */
  public static SequencedMap<String, Supplier<Object>> all(Map<String, String> environment) {
    SequencedMap<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put(IndexCommand.NAME, () -> new IndexCommand(environment));
    all.put(CopyCommand.NAME, () -> new CopyCommand(environment));
    all.put(ScavengeCommand.NAME, () -> new ScavengeCommand(environment));
    all.put(InspectCommand.NAME, () -> new InspectCommand(environment));
    all.put(ExplainCommand.NAME, () -> new ExplainCommand(environment));
    all.put(PrintCommand.NAME, PrintCommand::new);
    return all;
  }
}
