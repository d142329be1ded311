package io.vertxscr.protocol.node.run;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.RunInfo;
import java.util.List;
import java.util.Optional;

/**
 * A node's state of its last run, unless that has failed.
 *
 * @param number the last gather whose result it has, 0 for none
 * @param gathered that result
 * @param ended whether all ranks of this node have finalized
 * @param failedLeader the lost leader that had acknowledged ranks of this node, which have failed since
 * @param endedByNodeLoss the last run, where that ended because it lost a node
 * @param newestRun number of the last run that has begun on this node, failed or not; 0 for none
 * @param drained whether the node is marked to be drained
 * @param synced the last parts that an earlier leader has answered, some nodes perhaps not
 * @param bypassing the dataset that ranks write to the prefix directory at once, as of that result
 */
public record NodeRunState(long epoch, Optional<RunInfo> run, long number, Optional<GatherResult> gathered,
    boolean ended, Optional<String> failedLeader, Optional<RunInfo> endedByNodeLoss, long newestRun,
    boolean drained, List<DatasetSynced> synced, Optional<DatasetDescriptor> bypassing) {
  /** A node has one or two phases under way, of which others may not have heard the end. */
  public static final int MOST_SYNCED = 4;

  public NodeRunState {
    FieldChecks.count("epoch", epoch);
    FieldChecks.count("number", number);
    failedLeader.ifPresent(lost -> FieldChecks.node("failedLeader", lost));
    FieldChecks.count("newestRun", newestRun);
    FieldChecks.size("synced", synced, MOST_SYNCED);
  }

  /** Of a node that is not marked, whose ranks write nothing to the prefix directory. */
  public NodeRunState(long epoch, Optional<RunInfo> run, long number, Optional<GatherResult> gathered,
      boolean ended, Optional<String> failedLeader, Optional<RunInfo> endedByNodeLoss, long newestRun) {
    this(epoch, run, number, gathered, ended, failedLeader, endedByNodeLoss, newestRun, false, List.of(),
        Optional.empty());
  }

  /** Of a node that has left meanwhile. */
  public static final NodeRunState GONE = none(0);

  /** Of a node that knows of no run. */
  public static NodeRunState none(long epoch) {
    return new NodeRunState(
        epoch, Optional.empty(), 0, Optional.empty(), false, Optional.empty(), Optional.empty(), 0);
  }

  /** Whether this node takes, or took, part in that run. */
  public boolean isIn(long number) {
    return run.isPresent() && run.get().run() == number;
  }
}
