package io.vertxscr.cli.scr;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine;

/** The names of SCR's commands, and the front of each. */
public final class ScrNames {
  private static final Map<String, Function<Surroundings, Front>> FRONTS = new HashMap<>(JobFronts.all());

  static {
    FRONTS.putAll(DataFronts.all());
  }

  private ScrNames() {}

  /** All of them. */
  public static Set<String> all() {
    return Set.copyOf(FRONTS.keySet());
  }

  /**
   * Returns the command of this name with options as SCR's parsers accept them. Abbreviated, repeated (the last one
   * counts).
   *
   * @param ours runs our own commands, by our own names
   * @return empty where SCR has none of this name, or none that needs another form than ours
   */
  public static Optional<CommandLine> find(String name, Map<String, String> environment, OurCommands ours) {
    return Optional.ofNullable(FRONTS.get(name)).map(front -> {
      Front command = front.apply(new Surroundings(environment, ours));
      CommandLine line = new CommandLine(command).setCommandName(name).setOverwrittenOptionsAllowed(true)
          .setCaseInsensitiveEnumValuesAllowed(true);
      // Words after a launcher belong to it, even those that look like options.
      return command.takesWords() ? line.setStopAtPositional(true).setUnmatchedOptionsArePositionalParams(true)
          : line.setAbbreviatedOptionsAllowed(true);
    });
  }
}
