package io.vertxscr.protocol.node.run;

import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.Limits;
import io.vertxscr.model.SmallRank;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Result of COMPLETE_OUTPUT in a cache.
 *
 * @param totals of all nodes
 * @param carried small files of all nodes, if they have contributed them, and members of the sets need them
 * @param claimFirst whether nothing is decided, because only some have contributed their files: all nodes are to ask
 *     each other about their paths, and to contribute again
 */
public record OutputWritten(Totals totals, List<SmallRank> carried, boolean claimFirst) {
  public static final OutputWritten CLAIM_FIRST = new OutputWritten(Totals.NONE, List.of(), true);

  public OutputWritten {
    FieldChecks.size("carried", carried, Limits.MAX_CARRYING_NODES * Limits.MAX_CARRIED_FILES);
  }
}
