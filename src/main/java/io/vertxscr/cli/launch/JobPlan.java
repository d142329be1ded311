package io.vertxscr.cli.launch;

import io.vertxscr.config.Configuration;
import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.launch.Node;
import io.vertxscr.launch.Program;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Plan of a job.
 *
 * @param restart command to start if there is a checkpoint; empty for the same
 * @param used how many of the daemons of one machine the program uses; the others are spares
 * @param variables SCR_* that daemons and ranks must have in common
 */
record JobPlan(Allocation allocation, Program program, Optional<Program> restart, LaunchSettings settings,
    PrefixPaths paths, int used, Map<String, String> variables) {
  /** In a restart command, for the name of the checkpoint. */
  private static final String CHECKPOINT_NAME = "SCR_CKPT_NAME";

  JobPlan {
    variables = Map.copyOf(variables);
  }

  /** The fewest nodes on which a run may begin. */
  int minNodes(OptionalInt ofLastRun) {
    if (settings.minNodes() > 0) {
      return settings.minNodes();
    }
    return allocation.isHere() ? used : ofLastRun.orElse(1);
  }

  /** The nodes that a run uses, of those that are up. */
  List<String> nodesFor(List<String> up) {
    return allocation.isHere() ? up.subList(0, Math.min(used, up.size())) : up;
  }

  /**
   * The command of a run on these nodes.
   *
   * @param checkpoint name of the one that it will find; empty for none
   */
  List<String> command(List<String> up, Set<String> down, Optional<String> checkpoint) {
    Program started = checkpoint.flatMap(name -> restart.map(again -> again.with(CHECKPOINT_NAME, name)))
        .orElse(program);
    if (allocation.isHere()) {
      return started.words();
    }
    List<Node> nodes = allocation.nodes().stream().filter(node -> up.contains(node.name())).toList();
    return started.command(nodes, down, allocation.manager().name().equals("ssh"), forProgram(up, Map.of()).keySet());
  }

  /** The variables of the daemons. @param launch tells them from those of another call */
  Map<String, String> forDaemons(String launch) {
    Map<String, String> more = new TreeMap<>(variables);
    more.put(Configuration.LAUNCH, launch);
    return more;
  }

  /** Returns the variables added to the program's environment. */
  Map<String, String> forProgram(List<String> up, Map<String, String> sockets) {
    Map<String, String> more = new TreeMap<>(variables);
    more.put("SCR_NODELIST", String.join(",", up));
    if (allocation.isHere()) {
      more.put("SCR_SOCKET", up.stream().map(sockets::get).collect(Collectors.joining(":")));
    }
    return more;
  }

  /** The whole environment of the program. */
  Map<String, String> environment(List<String> up, Map<String, String> sockets) {
    Map<String, String> all = new HashMap<>(allocation.environment());
    all.remove("SCR_SOCKET");
    all.putAll(forProgram(up, sockets));
    return all;
  }
}
