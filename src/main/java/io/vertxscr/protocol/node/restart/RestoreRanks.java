package io.vertxscr.protocol.node.restart;

import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Bring these ranks' files here.
 *
 * @param base the store for those who have nothing of the dataset yet
 */
public record RestoreRanks(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
    FlushState flush, List<RankPlan> ranks) {
  public RestoreRanks {
    FieldChecks.place("base", base);
    FieldChecks.size("ranks", ranks, Limits.MAX_RANKS);
  }
}
