package io.vertxscr.cli.offline;

import io.vertxscr.cli.daemon.LocalDaemons;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.scavenge.NodeCache;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which nodes of this machine a command is about. */
public final class CachesOption {
  @Option(names = "--control", paramLabel = "DIR", description = {
      "Directory with the control directories of the nodes of a job on this machine;",
      "if not given, that of this user and job."})
  private Path control;

  @Option(names = "--node", paramLabel = "NAME", description = "Only this node; may be given several times.")
  private List<String> names = List.of();

  /** @throws ScrException NO_SUCH_FILE where there are none, or not all that were named */
  List<NodeCache> nodes(Map<String, String> environment) {
    Path job = directory(environment);
    List<NodeCache> found = NodeCache.ofJob(job).stream()
        .filter(node -> names.isEmpty() || names.contains(node.node())).toList();
    if (found.isEmpty() || found.size() < names.size()) {
      throw new ScrException(Fault.NO_SUCH_FILE, "no control directory of "
          + (names.isEmpty() ? "any node" : "node " + String.join(" or ", names)) + " in " + job);
    }
    return found;
  }

  /** Returns the caches as an optional source: none is no failure, unless one was named. */
  public List<NodeCache> nodesIfAny(Map<String, String> environment) {
    return names.isEmpty() ? NodeCache.ofJob(directory(environment)) : nodes(environment);
  }

  /** Whether nobody has chosen other caches than those of this user and job. */
  boolean isOfThisJob() {
    return control == null && names.isEmpty();
  }

  /** The directory that holds them, whether or not it is there. */
  Path directory(Map<String, String> environment) {
    if (control != null) {
      return control.toAbsolutePath().normalize();
    }
    return LocalDaemons.job(environment).path();
  }
}
