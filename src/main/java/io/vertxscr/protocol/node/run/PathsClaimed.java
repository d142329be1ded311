package io.vertxscr.protocol.node.run;

import io.vertxscr.flow.paths.PathClaims;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** The answer: what ranks of other nodes have claimed before. */
public record PathsClaimed(List<PathClaims.Taken> taken) {
  public PathsClaimed {
    FieldChecks.size("taken", taken, Limits.MAX_CLAIMED_PATHS);
  }
}
