package io.vertxscr.protocol.node.scrub;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.restart.RankFailure;
import java.util.List;

/** The parts that could not be made again; all others are whole, durably. */
public record Mended(List<RankFailure> files, List<RankFailure> redundancy) {
  public Mended {
    FieldChecks.size("files", files, Limits.MAX_RANKS);
    FieldChecks.size("redundancy", redundancy, Limits.MAX_RANKS);
  }
}
