package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * The run that is on, for status output.
 *
 * @param nodes that have ranks of it, by name
 */
public record RunView(long run, String jobName, String prefix, int ranks, List<String> nodes) {
  public RunView {
    FieldChecks.run(run);
    FieldChecks.label("jobName", jobName);
    FieldChecks.absolute("prefix", prefix);
    FieldChecks.range("ranks", ranks, 1, Limits.MAX_RANKS);
    FieldChecks.size("nodes", nodes, Limits.MAX_RANKS);
    nodes.forEach(node -> FieldChecks.node("nodes", node));
    nodes = List.copyOf(nodes);
  }
}
