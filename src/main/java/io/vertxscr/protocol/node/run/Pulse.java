package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;

/**
 * Answer of a node's loop to a node that waits for it.
 *
 * @param storageSilentMs how long its storage has not answered; 0 if it does
 * @param run number of the run that is on there; 0 if none is, or it is over for that node
 * @param waiting ranks there that wait in init for their run to begin
 * @param lost why the newest run there is over, which may overtake the report of it
 */
public record Pulse(long storageSilentMs, long run, List<Integer> waiting, Optional<LostRank> lost) {
  public Pulse {
    FieldChecks.count("storageSilentMs", storageSilentMs);
    FieldChecks.count("run", run);
    FieldChecks.ranks("waiting", waiting);
  }
}
