package io.vertxscr.cli.launch;

import io.vertxscr.launch.Hostlist;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scr list-down-nodes}: for scripts that start programs themselves. */
@Command(name = ListDownNodesCommand.NAME, description = {
    "Print the nodes of the allocation that are down, separated by commas; nothing where all are up.",
    "A node is down if it is excluded, reported by the resource manager, or cannot run a command."})
final class ListDownNodesCommand extends JobCommand {
  static final String NAME = "list-down-nodes";

  @Option(names = "--reason", description = "Print a line for each, with the reason.")
  private boolean reason;

  @Option(names = "--down", defaultValue = "", paramLabel = "LIST",
      description = "Nodes that are known to be down: they are not asked again.")
  private String down;

  @Parameters(arity = "0..*", paramLabel = "LIST", description = "Only these nodes of the allocation.")
  private List<String> only = List.of();

  ListDownNodesCommand(Map<String, String> environment) {
    super(environment);
  }

  @Override
  int run(JobScene job) {
    Allocation allocation = job.allocation();
    Set<String> asked = only.isEmpty() ? Set.copyOf(allocation.names()) : asked(allocation);
    SortedMap<String, String> found = new DownNodes(allocation, job.settings()).find(Hostlist.expand(down));
    found.keySet().retainAll(asked);
    if (reason) {
      found.forEach((node, why) -> out().println(node + ": " + why));
    } else if (!found.isEmpty()) {
      out().println(String.join(",", found.keySet()));
    }
    return 0;
  }

  private Set<String> asked(Allocation allocation) {
    Set<String> asked = only.stream().flatMap(list -> Hostlist.expand(list).stream()).collect(Collectors.toSet());
    asked.stream().filter(node -> !allocation.names().contains(node)).findFirst().ifPresent(node -> {
      throw new ScrException(Fault.BAD_CONFIGURATION, "node " + node + " is none of the allocation");
    });
    return asked;
  }
}
