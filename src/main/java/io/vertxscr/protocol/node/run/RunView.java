package io.vertxscr.protocol.node.run;

import java.util.List;

/**
 * The run that is on, for status output.
 *
 * @param nodes that have ranks of it, by name
 */
public record RunView(long run, String jobName, String prefix, int ranks, List<String> nodes) {
  public RunView {
    nodes = List.copyOf(nodes);
  }
}
