package io.vertxscr.protocol.app;

import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How far a node is drained.
 *
 * @param state name of a {@link DrainState}
 * @param percent of the bytes of all datasets that are to be moved; 100 where it is drained
 * @param cause why it is stopped or waits; empty if it does not
 * @param lost datasets of which it has parts, and for which alone it is stopped: the caches cannot give them back as
 *     long as other nodes are away; missing for none
 */
public record DrainReply(String node, String state, int percent, String cause, Optional<List<Integer>> lost) {
  private static final int MOST_LOST = 10_000;

  public DrainReply {
    FieldChecks.node("node", node);
    if (Stream.of(DrainState.values()).noneMatch(one -> one.name().equals(state))) {
      throw FieldChecks.bad("state", "is none of a drain");
    }
    FieldChecks.range("percent", percent, 0, 100);
    FieldChecks.sentence("cause", cause);
    lost.ifPresent(datasets -> FieldChecks.size("lost", datasets, MOST_LOST));
  }

  /** Of a state. */
  public DrainReply(String node, DrainState state, int percent, String cause) {
    this(node, state.name(), percent, cause, Optional.empty());
  }

  /** The same, stopped for these datasets. @param others as many as fit; none for another reason */
  public DrainReply withLost(List<Integer> others) {
    return new DrainReply(node, state, percent, cause,
        Optional.of(others.stream().limit(MOST_LOST).toList()).filter(some -> !some.isEmpty()));
  }

  /** Whether it is in this state. */
  public boolean is(DrainState one) {
    return one.name().equals(state);
  }
}
