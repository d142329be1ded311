package io.vertxscr.launch;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** Finds out who gave us the nodes. */
public final class ResourceManagers {
  private ResourceManagers() {}

  /**
   * Selects the resource manager, by the user's choice or by the variables that each sets. The innermost comes first,
   * because Flux runs in allocations of others.
   *
   * @param hosts of the user, in the notation of {@link Hostlist}; empty for none
   * @param local how many daemons are to run on this machine; empty where the user has not said
   */
  public static ResourceManager find(Map<String, String> environment, String hosts, OptionalInt local) {
    if (!hosts.isEmpty()) {
      return new Hosts(hosts);
    }
    if (local.isPresent()) {
      return new OneMachine(local.getAsInt());
    }
    if (has(environment, "FLUX_URI")) {
      return new Flux();
    }
    if (has(environment, "SLURM_JOB_ID")) {
      return new Slurm(environment);
    }
    if (has(environment, "LSB_JOBID")) {
      return new Lsf(environment);
    }
    if (has(environment, "PBS_JOBID")) {
      return new Pbs(environment);
    }
    return new OneMachine(1);
  }

  private static boolean has(Map<String, String> environment, String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }

  /** Returns all nodes of a host list, without counting slots. */
  static List<Node> named(String hostlist) {
    return Hostlist.expand(hostlist).stream().distinct().map(Node::new).toList();
  }

  /** Returns those of these nodes that an answer names, with one host list in a line. */
  static Set<String> among(Collection<String> nodes, String answer) {
    Set<String> named = new TreeSet<>();
    answer.lines().filter(line -> !line.isBlank()).forEach(line -> named.addAll(Hostlist.expand(line)));
    named.retainAll(nodes);
    return named;
  }
}
