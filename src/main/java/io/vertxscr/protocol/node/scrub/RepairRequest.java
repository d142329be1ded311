package io.vertxscr.protocol.node.scrub;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;
import java.util.List;

/**
 * Parts of a dataset on this node are damaged; its inventory says of which ranks. Idempotent: what is whole by then is
 * left alone.
 *
 * @param redundancy ranks whose redundancy files are damaged: an inventory does not tell them from pending ones
 * @param again whether it was asked before, without success
 */
public record RepairRequest(String node, DatasetKey dataset, List<Integer> redundancy, boolean again)
    implements OfNode {
  public RepairRequest {
    FieldChecks.node("node", node);
    FieldChecks.ranks("redundancy", redundancy);
  }
}
