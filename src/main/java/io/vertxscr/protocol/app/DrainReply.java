package io.vertxscr.protocol.app;

import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.FieldChecks;
import java.util.stream.Stream;

/**
 * How far a node is drained.
 *
 * @param state name of a {@link DrainState}
 * @param percent of the bytes of all datasets that are to be moved; 100 where it is drained
 * @param cause why it is stopped or waits, or what is to be known of one that is drained; may be empty
 */
public record DrainReply(String node, String state, int percent, String cause) {
  public DrainReply {
    FieldChecks.node("node", node);
    if (Stream.of(DrainState.values()).noneMatch(one -> one.name().equals(state))) {
      throw FieldChecks.bad("state", "is none of a drain");
    }
    FieldChecks.range("percent", percent, 0, 100);
    FieldChecks.sentence("cause", cause);
  }

  /** Of a state. */
  public DrainReply(String node, DrainState state, int percent, String cause) {
    this(node, state.name(), percent, cause);
  }

  /** Whether it is in this state. */
  public boolean is(DrainState one) {
    return one.name().equals(state);
  }
}
