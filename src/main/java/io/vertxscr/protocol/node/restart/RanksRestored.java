package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Ranks that could not be brought; empty when all are here, durably. */
public record RanksRestored(List<RankFailure> failed) {
  public RanksRestored {
    FieldChecks.size("failed", failed, Limits.MAX_RANKS);
  }
}
