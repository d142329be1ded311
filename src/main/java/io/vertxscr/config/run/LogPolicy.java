package io.vertxscr.config.run;

/**
 * What is written down about the run in its prefix directory.
 *
 * @param enabled whether anything is (SCR_LOG_ENABLE)
 * @param text whether the text log is (SCR_LOG_TXT_ENABLE)
 */
public record LogPolicy(boolean enabled, boolean text) {
  public static final LogPolicy STANDARD = new LogPolicy(true, true);
}
