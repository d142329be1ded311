package io.vertxscr.cli.launch;

import java.io.PrintWriter;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scr list-down-nodes}: for scripts that start programs themselves. */
@Command(name = "list-down-nodes", description = {
    "Print the nodes of the allocation that are down, separated by commas; nothing where all are up.",
    "Down is what is excluded, what the resource manager says, and where no command can be run."})
final class ListDownNodesCommand implements Callable<Integer> {
  private final Map<String, String> given;

  @Option(names = "--reason", description = "Print a line for each, with the reason.")
  private boolean reason;

  @Mixin
  private JobOptions options;

  @Spec
  private CommandSpec spec;

  ListDownNodesCommand(Map<String, String> environment) {
    this.given = environment;
  }

  @Override
  public Integer call() {
    Map<String, String> environment = options.environment(given);
    SortedMap<String, String> down = new DownNodes(options.allocation(environment, OptionalInt.empty()),
        options.settings(environment, options.paths(environment))).find();
    PrintWriter out = spec.commandLine().getOut();
    if (reason) {
      down.forEach((node, why) -> out.println(node + ": " + why));
    } else if (!down.isEmpty()) {
      out.println(String.join(",", down.keySet()));
    }
    return 0;
  }
}
