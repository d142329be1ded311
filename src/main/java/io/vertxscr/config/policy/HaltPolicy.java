package io.vertxscr.config.policy;

/**
 * When a run is to end.
 *
 * @param seconds before the end of the allocation, 0 for not at all (SCR_HALT_SECONDS)
 * @param exit whether ranks are made to exit, after a checkpoint and at init, instead of being told by should-exit and
 *     an error (SCR_HALT_EXIT, or SCR_HALT_ENABLED)
 */
public record HaltPolicy(int seconds, boolean exit) {
  public static final HaltPolicy STANDARD = new HaltPolicy(0, false);

  public HaltPolicy {
    Checks.range("seconds before the end of the allocation", seconds, 0, Integer.MAX_VALUE);
  }
}
