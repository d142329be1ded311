package io.vertxscr.cli.scr;

import io.vertxscr.cli.offline.CommandLog;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.launch.Hostlist;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scr_list_down_nodes}. */
@Command(sortOptions = false, description = {
    "Print the nodes of the allocation that are down, separated by commas; an empty line where all are up.",
    "'scr list-down-nodes' takes more options: --hosts, --exclude, ..."})
final class ListDownNodesFront extends Front {
  @Option(names = {"-j", "--joblauncher"}, paramLabel = "LAUNCHER", description =
      NO_EFFECT + "nodes are reached by the means of the resource manager, with any launcher.")
  private String launcher;

  @Option(names = {"-r", "--reason"}, description = "Print a line for each, with the reason.")
  private boolean reason;

  @Option(names = {"-f", "--free"}, description =
      NO_EFFECT + "the space that a store has is looked at by its daemon, when a run begins.")
  private boolean free;

  @Option(names = {"-d", "--down"}, paramLabel = "LIST", description = "Nodes that are down: they are not asked.")
  private String down;

  @Option(names = {"-l", "--log"}, description = "Note each node that was not known to be down in the log.")
  private boolean log;

  @Option(names = {"-s", "--secs"}, paramLabel = "N", description = "How long the run had been running, for the log.")
  private Long seconds;

  @Parameters(arity = "0..*", paramLabel = "LIST", description = "Only these nodes of the allocation.")
  private List<String> nodes = List.of();

  ListDownNodesFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    List<String> words = new ArrayList<>(List.of("list-down-nodes", "--reason"));
    if (down != null) {
      words.addAll(List.of("--down", down));
    }
    words.addAll(nodes);
    CommandAnswer answer = ask(words);
    if (answer.exit() != 0) {
      return answer.exit();
    }
    List<String> lines = answer.out().lines().toList();
    if (reason) {
      lines.forEach(out()::println);
    } else {
      out().println(String.join(",", lines.stream().map(ListDownNodesFront::node).toList()));
    }
    if (log) {
      note(lines);
    }
    return 0;
  }

  private static String node(String line) {
    return line.substring(0, line.indexOf(':'));
  }

  private void note(List<String> lines) {
    List<String> known = Hostlist.expand(down == null ? "" : down);
    String prefix = environment().getOrDefault("SCR_PREFIX", "");
    var file = new CommandLog(prefix(Path.of(prefix)), environment(), err());
    for (String line : lines) {
      if (!known.contains(node(line))) {
        LogLine.Builder event = LogLine.event("NODE_FAIL").text("note", line);
        if (seconds != null) {
          event.seconds(seconds);
        }
        file.add(event, LocalDateTime.now(), Optional.empty());
      }
    }
  }
}
