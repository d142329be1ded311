package io.vertxscr.cli.offline;

import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.Names;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetCopies;
import io.vertxscr.scavenge.Finding;
import io.vertxscr.scavenge.LocalCopies;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.OfflineScavenge;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr scavenge}: datasets from the caches of all nodes to the prefix directory, made whole and listed. */
@Command(name = ScavengeCommand.NAME, sortOptions = false, description = {
    "Flush datasets from the caches of dead daemons to the prefix directory: copy on every host, rebuild missing"
        + " files, add them to the index.",
    "Without --id: all output that is not in the prefix directory, and the newest available checkpoint, if it is newer"
        + " than those that are there.",
    "Exit code 1 if a dataset that was asked for, or any output, or every checkpoint could not be had."})
final class ScavengeCommand implements Callable<Integer> {
  static final String NAME = "scavenge";

  private final Map<String, String> environment;

  @Option(names = "--id", paramLabel = "ID", description = "Only this dataset.")
  private Integer id;

  @Option(names = "--hosts", split = ",", paramLabel = "HOST", description =
      "Hosts of the nodes, reached by --remote; without it the nodes of this machine.")
  private List<String> hosts = List.of();

  @Option(names = "--remote", defaultValue = "ssh -- {host}", paramLabel = "COMMAND", description =
      "Words that run a command on a host (${DEFAULT-VALUE}); exit code 255 means that it was not reached.")
  private String remote;

  @Option(names = "--scr", defaultValue = "scr", paramLabel = "PATH", description =
      "This program on the hosts (${DEFAULT-VALUE}).")
  private String program;

  @Option(names = "--take-over", description =
      "Also what the flush file says is being flushed, where a host refused. Only if no daemon is left that does it.")
  private boolean takeOver;

  @Mixin
  private PrefixOption prefix;

  @Mixin
  private CachesOption caches;

  @Spec
  private CommandSpec spec;

  ScavengeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if (!hosts.isEmpty() && remote.isBlank()) {
      throw new ParameterException(spec.commandLine(), "--remote: no command");
    }
    hosts.forEach(Names::node);
    if (id != null && id <= 0) {
      throw new ParameterException(spec.commandLine(), "--id " + id + ": datasets are numbered from 1");
    }
    PrefixPaths paths = prefix.paths(environment);
    PrefixIndex index = PrefixOption.index(paths);
    index.lost().ifPresent(lost -> spec.commandLine().getErr().println("scr: " + lost));
    List<NodeCache> nodes = hosts.isEmpty() ? caches.nodesIfAny(environment) : List.of();
    DatasetCopies copies = hosts.isEmpty() ? new LocalCopies(paths, nodes, found -> print(found, paths, nodes))
        : new RemoteCopies(remote, List.of(program, "copy", "--prefix", paths.prefix().toString(), "--control",
            caches.directory(environment).toString()), hosts, spec.commandLine().getOut(),
            found -> print(found, paths, nodes));
    var scavenge = new OfflineScavenge(paths, index, PrefixOption.flushFile(paths, "scr scavenge"), copies,
        log(paths), Clock.systemDefaultZone(), found -> print(found, paths, nodes));
    boolean good = id == null ? scavenge.all(nodes, takeOver) : scavenge.one(id, takeOver);
    return good ? 0 : OfflineCommands.WRONG;
  }

  private void print(Finding finding, PrefixPaths paths, List<NodeCache> nodes) {
    PrintWriter out = spec.commandLine().getOut();
    if (finding instanceof Finding.NothingToScavenge(boolean known)) {
      out.println("nothing to scavenge: " + (known ? "every dataset that is known is in the prefix directory"
          : "found no dataset of " + paths.prefix() + ", neither in its flush file nor " + elsewhere(nodes)));
    } else {
      FindingLines.of(finding).forEach(out::println);
    }
  }

  /** Returns the places searched besides the flush file. */
  private String elsewhere(List<NodeCache> nodes) {
    if (!hosts.isEmpty()) {
      return "by --id: hosts are asked for datasets whose number is known";
    }
    return nodes.isEmpty() ? "on this machine: no node has a control directory in " + caches.directory(environment)
        : "in the caches of " + String.join(", ", nodes.stream().map(NodeCache::node).toList())
            + ", whose control directories are in " + caches.directory(environment);
  }

  private OfflineScavenge.ScavengeLog log(PrefixPaths paths) {
    var log = new CommandLog(paths, environment, spec.commandLine().getErr());
    return new OfflineScavenge.ScavengeLog() {
      @Override
      public void begun(int dataset) {
        log.add(LogLine.event("SCAVENGE_START").dataset(dataset), LocalDateTime.now(), Optional.empty());
      }

      @Override
      public void ended(int dataset, boolean whole) {
        log.add(LogLine.event("SCAVENGE_END").dataset(dataset)
            .text("note", whole ? "in the prefix directory" : "could not be had"), LocalDateTime.now(),
            Optional.empty());
      }
    };
  }
}
