package io.vertxscr.protocol.node.run;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;

/**
 * A node's part of a dataset is on stable storage, or cannot be brought there. It is as stable as its store. Answered
 * when all nodes of the run have said so. May be said again.
 *
 * @param node who says it
 * @param nodes of the run, so many must say it
 * @param trouble why it is not there; empty where it is
 */
public record DatasetSynced(long run, DatasetKey dataset, String node, int nodes, String trouble) implements OfNode {
  public DatasetSynced {
    FieldChecks.run(run);
    FieldChecks.node("node", node);
    FieldChecks.range("nodes", nodes, 1, Limits.MAX_RANKS);
    FieldChecks.sentence("trouble", trouble);
  }
}
