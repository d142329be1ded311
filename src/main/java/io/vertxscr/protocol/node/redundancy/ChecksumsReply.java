package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.RangeChecksums;
import java.util.List;

/** The answer, when the asked node has read all that it reads; in no particular order. */
public record ChecksumsReply(List<RangeChecksums> ranges, List<FinishedParity> parities) {
  public ChecksumsReply {
    FieldChecks.size("ranges", ranges, Limits.MAX_RANKS);
    FieldChecks.size("parities", parities, Limits.MAX_RANKS);
  }
}
