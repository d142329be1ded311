package io.vertxscr.client;

import io.vertxscr.protocol.app.ShardReply;
import java.util.OptionalInt;

/** The checkpoint that this rank reads in a restart; closed without {@code complete} as not valid. */
public final class Restart extends BlockingPhase {
  private final Phase phase;

  Restart(Phase phase) {
    super(phase);
    this.phase = phase;
  }

  /** Number of ranks that wrote it, if it has shards; see {@link Phase#writers}. */
  public OptionalInt writers() {
    return phase.writers();
  }

  /** Returns where a range of any rank's file is on this node; see {@link Phase#shard}. */
  public ShardReply shard(ShardRange range) {
    return Blocking.call(() -> phase.shard(range));
  }
}
