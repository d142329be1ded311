package io.vertxscr.protocol.node.flush;

import io.vertxscr.flow.flush.Leases;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;

/**
 * To the leader: how many may write here, and how fast? Tells how far this node has come, too.
 *
 * @param doneBytes copied in this attempt
 * @param need remaining work; no writers: it has ended here, or pauses
 */
public record ShareRequest(String node, int datasetId, int attempt, long doneBytes, Leases.Need need)
    implements OfNode {
  public ShareRequest {
    FieldChecks.node("node", node);
    FieldChecks.dataset(datasetId);
    FieldChecks.attempt(attempt);
    FieldChecks.bytes("doneBytes", doneBytes);
  }
}
