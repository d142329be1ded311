package io.vertxscr.cli.offline;

import io.vertxscr.cli.offline.RemoteCopies.Outcome;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.launch.Plural;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetScanner;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.OtherPrefixes;
import io.vertxscr.scavenge.PatientLocks;
import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr scavenge}: datasets from the caches of all nodes to the prefix directory, made whole and listed. */
@Command(name = "scavenge", sortOptions = false, description = {
    "Flush datasets from the caches of dead daemons to the prefix directory: copy on every host, rebuild missing"
        + " files, add them to the index.",
    "Without --id: all output that is not in the prefix directory, and the newest available checkpoint, if it is newer"
        + " than those that are there.",
    "Exit code 1 if a dataset that was asked for, or any output, or every checkpoint could not be had."})
final class ScavengeCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Option(names = "--id", paramLabel = "ID", description = "Only this dataset.")
  private Integer id;

  @Option(names = "--hosts", split = ",", paramLabel = "HOST", description =
      "Hosts of the nodes, reached by --remote; without it the nodes of this machine.")
  private List<String> hosts = List.of();

  @Option(names = "--remote", defaultValue = "ssh {host}", paramLabel = "COMMAND", description =
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
    if (id != null && id <= 0) {
      throw new ParameterException(spec.commandLine(), "--id " + id + ": datasets are numbered from 1");
    }
    PrefixPaths paths = prefix.paths(environment);
    PrefixOption.index(paths).lost().ifPresent(lost -> spec.commandLine().getErr().println("scr: " + lost));
    if (id != null) {
      return scavenge(id, paths);
    }
    List<DatasetDescriptor> waiting = waiting(paths);
    if (waiting.isEmpty()) {
      spec.commandLine().getOut().println("nothing to scavenge: " + (known(paths).isEmpty() ? "found no dataset of "
          + paths.prefix() + ", neither in its flush file nor " + elsewhere()
          : "every dataset that is known is in the prefix directory"));
      return 0;
    }
    int exit = 0;
    for (DatasetDescriptor dataset : waiting) {
      if (dataset.flags().output()) {
        exit = Math.max(exit, scavenge(dataset.id(), paths));
      }
    }
    List<DatasetDescriptor> checkpoints = newerThanThere(waiting, paths);
    boolean had = checkpoints.isEmpty();
    for (DatasetDescriptor dataset : checkpoints.reversed()) {
      if (!had) {
        had = scavenge(dataset.id(), paths) == 0;
      }
    }
    return had ? exit : OfflineCommands.WRONG;
  }

  /** Returns the places searched besides the flush file. */
  private String elsewhere() {
    if (!hosts.isEmpty()) {
      return "by --id: hosts are asked for datasets whose number is known";
    }
    List<String> nodes = caches.nodesIfAny(environment).stream().map(NodeCache::node).toList();
    return nodes.isEmpty() ? "on this machine: no node has a control directory in " + caches.directory(environment)
        : "in the caches of " + String.join(", ", nodes) + ", whose control directories are in "
            + caches.directory(environment);
  }

  /** Returns datasets of the flush file and this machine's caches that the prefix directory lacks. Ascending. */
  private List<DatasetDescriptor> waiting(PrefixPaths paths) {
    Publication publication = new Publication(paths, PrefixOption.index(paths));
    return known(paths).stream().filter(dataset -> !publication.isComplete(dataset.id()))
        .sorted(Comparator.comparingInt(DatasetDescriptor::id)).toList();
  }

  private Collection<DatasetDescriptor> known(PrefixPaths paths) {
    Map<Integer, DatasetDescriptor> known = new TreeMap<>();
    if (hosts.isEmpty()) {
      for (NodeCache node : caches.nodesIfAny(environment)) {
        node.of(paths).datasets().forEach(record -> note(known, record.descriptor()));
      }
    }
    for (FlushStatus.Entry entry : new FlushFileStore(paths,
        PatientLocks.user("scr scavenge", PrefixOption.PATIENCE)).read().entries()) {
      if (entry.locations().contains(Location.CACHE) && !entry.locations().contains(Location.PFS)) {
        note(known, entry.descriptor());
      }
    }
    return known.values();
  }

  /**
   * The checkpoints that a restart would take before any that is in the prefix directory. A node that was lost leaves
   * older ones in its cache, which the others have evicted since: they are not needed.
   */
  private List<DatasetDescriptor> newerThanThere(List<DatasetDescriptor> waiting, PrefixPaths paths) {
    Optional<DatasetDescriptor> there = PrefixOption.index(paths).read().index().entries().reversed().stream()
        .filter(Index.Entry::restartable).map(Index.Entry::descriptor).findFirst();
    List<DatasetDescriptor> newer = new ArrayList<>();
    List<String> left = new ArrayList<>();
    for (DatasetDescriptor dataset : waiting) {
      if (there.isPresent() && dataset.id() < there.get().id() && dataset.createdUs() <= there.get().createdUs()) {
        if (!dataset.flags().output()) {
          left.add(dataset.id() + " '" + dataset.name() + "'");
        }
      } else if (dataset.flags().checkpoint()) {
        newer.add(dataset);
      }
    }
    if (!left.isEmpty()) {
      spec.commandLine().getOut().println("left in the caches, for " + there.get().id() + " '" + there.get().name()
          + "' is newer and in the prefix directory: " + String.join(", ", left));
    }
    return newer;
  }

  private static void note(Map<Integer, DatasetDescriptor> known, DatasetDescriptor dataset) {
    known.merge(dataset.id(), dataset, (a, b) -> a.createdUs() >= b.createdUs() ? a : b);
  }

  private int scavenge(int dataset, PrefixPaths paths) {
    PrefixOption.requireWritable(paths);
    var log = new CommandLog(paths, environment, spec.commandLine().getErr());
    log.add(LogLine.event("SCAVENGE_START").dataset(dataset), LocalDateTime.now(), Optional.empty());
    boolean whole = false;
    try {
      int exit = bring(dataset, paths);
      whole = exit == 0;
      return exit;
    } finally {
      log.add(LogLine.event("SCAVENGE_END").dataset(dataset)
          .text("note", whole ? "in the prefix directory" : "could not be had"), LocalDateTime.now(), Optional.empty());
    }
  }

  private int bring(int dataset, PrefixPaths paths) {
    PrintWriter out = spec.commandLine().getOut();
    try {
      boolean noDaemonIsLeft = true;
      Optional<String> elsewhere = Optional.empty();
      if (hosts.isEmpty()) {
        List<NodeCache> nodes = caches.nodesIfAny(environment);
        LocalCopies.copy(nodes, dataset, paths, out);
        elsewhere = OtherPrefixes.sentence(nodes, held -> held.id() == dataset, paths);
      } else {
        noDaemonIsLeft = copyFromHosts(dataset, paths, out);
      }
      if (!DatasetScanner.isScavenged(paths, dataset)
          && !new Publication(paths, PrefixOption.index(paths)).isComplete(dataset)) {
        throw new ScrException(Fault.NO_SUCH_DATASET, elsewhere.orElse(
            "no cache that was reached has anything of dataset " + dataset));
      }
      return new IndexRepair(paths, out).add(dataset, takeOver || noDaemonIsLeft);
    } catch (ScrException e) {
      if (e.fault() != Fault.NO_SUCH_DATASET && e.fault() != Fault.CORRUPT && e.fault() != Fault.WRONG_STATE) {
        throw e;
      }
      out.println("dataset " + dataset + ": " + e.getMessage());
      return OfflineCommands.WRONG;
    }
  }

  /** @return whether every host was dead or copied, so that no daemon is left to resume a flush */
  private boolean copyFromHosts(int dataset, PrefixPaths paths, PrintWriter out) {
    List<String> command = new ArrayList<>(List.of(program, "copy", "--id", Integer.toString(dataset), "--prefix",
        paths.prefix().toString(), "--control", caches.directory(environment).toString()));
    Map<Outcome, List<String>> hostsBy = new RemoteCopies(remote, command).run(hosts, out);
    tell(hostsBy, Outcome.NOTHING_THERE, "nothing of dataset " + dataset + " is on", out);
    tell(hostsBy, Outcome.NOT_REACHED, "not reached, and taken for dead:", out);
    tell(hostsBy, Outcome.FAILED, "failed, for the reason above, on", out);
    return !hostsBy.containsKey(Outcome.FAILED);
  }

  private void tell(Map<Outcome, List<String>> hostsBy, Outcome outcome, String what, PrintWriter out) {
    List<String> those = hostsBy.getOrDefault(outcome, List.of());
    if (!those.isEmpty()) {
      out.println(what + " " + those.size() + " of " + Plural.of(hosts.size(), "host") + ": "
          + String.join(", ", those));
    }
  }
}
