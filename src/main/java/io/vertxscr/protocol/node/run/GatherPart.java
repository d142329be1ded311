package io.vertxscr.protocol.node.run;

import io.vertxscr.flow.gather.Step;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.OfNode;
import io.vertxscr.protocol.node.Packed;
import java.util.Optional;

/**
 * To the leader: a node's part. Repeating it is harmless: a gather that is over answers with its result.
 *
 * @param odd how the ranks of this node disagree, where they do
 */
public record GatherPart(long run, long number, String node, Step step, Optional<String> odd, Packed part)
    implements OfNode {
  public GatherPart {
    FieldChecks.run(run);
    FieldChecks.range("number", number, 1, FieldChecks.MAX_EXACT);
    FieldChecks.node("node", node);
    odd.ifPresent(how -> FieldChecks.sentence("odd", how));
  }
}
