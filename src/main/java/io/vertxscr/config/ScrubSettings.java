package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;

/**
 * How a node reads what it holds in the background.
 *
 * @param seconds within which everything is read once; 0: never by itself
 * @param bytesPerSecond upper bound
 * @param publishedSeconds within which the leader reads every published dataset once; 0: never by itself
 */
public record ScrubSettings(int seconds, long bytesPerSecond, int publishedSeconds) {
  /** A day. */
  public static final int SECONDS = 86_400;

  public ScrubSettings {
    Checks.range("seconds of a scrub", seconds, 0, Integer.MAX_VALUE);
    Checks.range("seconds of a scrub of published datasets", publishedSeconds, 0, Integer.MAX_VALUE);
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("a scrub of " + bytesPerSecond + " bytes a second");
    }
  }
}
