package io.vertxscr.protocol.node.run;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;
import java.util.List;
import java.util.Optional;

/**
 * To the leader: all ranks that have arrived on this node so far.
 *
 * @param leader who was asked first: if that one is gone, it may have acknowledged ranks unknown to others
 * @param settings what rank 0 brings along, from the node where it is
 * @param newestRun number of the last run that had begun on this node, 0 for none: the ranks are of a later one
 */
public record JoinRun(String node, String leader, String prefix, String jobName, int ranks, List<Integer> here,
    Optional<RankConfiguration> settings, long newestRun) implements OfNode {
  public JoinRun {
    FieldChecks.node("node", node);
    FieldChecks.node("leader", leader);
    FieldChecks.absolute("prefix", prefix);
    FieldChecks.label("jobName", jobName);
    FieldChecks.range("ranks", ranks, 1, Limits.MAX_RANKS);
    FieldChecks.ranks("here", here);
    FieldChecks.count("newestRun", newestRun);
  }
}
