package io.vertxscr.model;

/** How far a node is drained (docs/flows/drain.md). */
public enum DrainState {
  /** Nobody wants that. */
  NONE,
  /** It is to be, once the run that is on has ended. */
  WAITING,
  /** What only it has is copied to others. */
  DRAINING,
  /** Some of that cannot be, for now. */
  STOPPED,
  /** Its loss loses nothing, and weakens no protection. */
  DRAINED
}
