package io.vertxscr.client;

/** The checkpoint that this rank reads in a restart; closed without {@code complete} as not valid. */
public final class Restart extends BlockingPhase {
  Restart(Phase phase) {
    super(phase);
  }
}
