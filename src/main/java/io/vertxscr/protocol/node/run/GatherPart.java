package io.vertxscr.protocol.node.run;

import io.vertxscr.flow.gather.Step;
import io.vertxscr.protocol.node.Packed;
import java.util.Optional;

/**
 * To the leader: a node's part. Repeating it is harmless: a gather that is over answers with its result.
 *
 * @param odd how the ranks of this node disagree, where they do
 */
public record GatherPart(long run, long number, String node, Step step, Optional<String> odd, Packed part) {}
