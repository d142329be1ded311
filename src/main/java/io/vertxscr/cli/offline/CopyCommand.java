package io.vertxscr.cli.offline;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.OtherPrefixes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scr copy}: what this machine's caches have of a dataset, to the prefix directory. */
@Command(name = "copy", sortOptions = false, description = {
    "Copy this machine's part of a dataset, with its redundancy, to the prefix directory.",
    "Its daemons must not be running. 'scr index --add' builds the dataset from the copies of all nodes.",
    "Exit code 3 if there is no part of it for this prefix directory, 1 if a daemon is running, or for other"
        + " failures."})
final class CopyCommand implements Callable<Integer> {
  private final Map<String, String> environment;

  @Option(names = "--id", required = true, paramLabel = "ID", description = "The dataset's number.")
  private int id;

  @Mixin
  private PrefixOption prefix;

  @Mixin
  private CachesOption caches;

  @Spec
  private CommandSpec spec;

  CopyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if (id <= 0) {
      throw new ParameterException(spec.commandLine(), "--id " + id + ": datasets are numbered from 1");
    }
    PrefixPaths paths = prefix.paths(environment);
    if (new Publication(paths, PrefixOption.index(paths)).isComplete(id)) {
      List<String> missing = missing(paths);
      if (missing.isEmpty()) {
        spec.commandLine().getOut().println("dataset " + id + " is in the prefix directory, whole: nothing to copy");
        return 0;
      }
      missing.forEach(problem -> spec.commandLine().getOut().println("dataset " + id + ": " + problem));
      spec.commandLine().getOut().println("dataset " + id + " is in the prefix directory, but not whole any more: 'scr"
          + " index --add " + id + "' repairs it with what is copied now");
    }
    List<NodeCache> nodes = caches.nodesIfAny(environment);
    if (LocalCopies.copy(nodes, id, paths, spec.commandLine().getOut()) == 0) {
      String none = nodes.isEmpty() ? "no node has a control directory here" : "none of the nodes "
          + String.join(", ", nodes.stream().map(NodeCache::node).toList()) + " has anything of dataset " + id;
      spec.commandLine().getErr().println("scr: "
          + OtherPrefixes.sentence(nodes, dataset -> dataset.id() == id, paths).orElse(none));
      return OfflineCommands.NOTHING_HERE;
    }
    return 0;
  }

  /** Returns the files that a published dataset has lost, by their sizes, in sentences. */
  private List<String> missing(PrefixPaths paths) {
    try {
      return DatasetVerification.look(paths, id).problems();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return List.of(e.getMessage());
    }
  }
}
