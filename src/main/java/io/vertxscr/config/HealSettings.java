package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;

/**
 * How the nodes make again what was lost with one of them, while no run is on.
 *
 * @param seconds without a change of the membership, before they begin; 0: never
 * @param bytesPerSecond that are made, all nodes together
 */
public record HealSettings(int seconds, long bytesPerSecond) {
  /** A daemon that is started again is back by then. */
  public static final int SECONDS = 120;

  public HealSettings {
    Checks.range("seconds until healing", seconds, 0, Integer.MAX_VALUE);
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("healing of " + bytesPerSecond + " bytes a second");
    }
  }
}
