package io.vertxscr.client;

/** The checkpoint that the run restarts from, being read by this rank; closed without {@code complete} as not valid. */
public final class Restart extends BlockingPhase {
  Restart(Phase phase) {
    super(phase);
  }
}
