package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;

/**
 * How a node reads what it holds in the background.
 *
 * @param seconds within which everything is read once; 0: never by itself
 * @param bytesPerSecond upper bound
 */
public record ScrubSettings(int seconds, long bytesPerSecond) {
  /** A day. */
  public static final int SECONDS = 86_400;

  public ScrubSettings {
    Checks.range("seconds of a scrub", seconds, 0, Integer.MAX_VALUE);
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("a scrub of " + bytesPerSecond + " bytes a second");
    }
  }
}
