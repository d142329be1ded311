package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/**
 * From a node that has become the leader, or to one that has come since.
 *
 * @param epoch a number at least as high as any that it has heard of
 * @param leadership its unique name: the node and a random number
 */
public record Takeover(String leader, long epoch, String leadership) {
  public Takeover {
    FieldChecks.node("leader", leader);
    FieldChecks.count("epoch", epoch);
    FieldChecks.text("leadership", leadership);
  }
}
