package io.vertxscr.protocol.node.advice;

import io.vertxscr.flow.advice.Question;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;

/**
 * To the leader: what may this node answer from here on? The answer is a {@code flow.advice.Grant}.
 *
 * @param known the last call whose answer the node knows
 * @param slowest the call that its slowest rank made last
 */
public record AdviceLeaseRequest(long run, Question question, String node, long known, long slowest) implements OfNode {
  public AdviceLeaseRequest {
    FieldChecks.run(run);
    FieldChecks.node("node", node);
    FieldChecks.count("known", known);
    FieldChecks.count("slowest", slowest);
  }
}
