package io.vertxscr.cli.drill;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Factory of all commands of this package. */
public final class DrillCommands {
  private DrillCommands() {}

  /** By name, in the order in which help lists them. */
  public static SequencedMap<String, Supplier<Object>> all(Map<String, String> environment) {
    SequencedMap<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put(DrillCommand.NAME, () -> new DrillCommand(environment));
    all.put(DrillRankCommand.NAME, DrillRankCommand::new);
    return all;
  }
}
