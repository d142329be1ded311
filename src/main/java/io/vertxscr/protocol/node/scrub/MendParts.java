package io.vertxscr.protocol.node.scrub;

import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import java.util.List;

/**
 * Make these parts again, of a dataset that is there. Idempotent.
 *
 * @param files ranks whose files are made again, first; may be none
 * @param redundancy ranks whose redundancy files are encoded again, with the nodes of their sets' files
 */
public record MendParts(RestoreRanks files, List<RankPlan> redundancy) {
  public MendParts {
    FieldChecks.size("redundancy", redundancy, Limits.MAX_RANKS);
  }
}
