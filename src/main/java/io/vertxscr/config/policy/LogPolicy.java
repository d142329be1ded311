package io.vertxscr.config.policy;

import java.util.Objects;
import java.util.Optional;

/**
 * Logging of a run.
 *
 * @param enabled whether anything is written down (SCR_LOG_ENABLE)
 * @param text whether the text log in the prefix directory is (SCR_LOG_TXT_ENABLE)
 * @param syslog where its lines go too, where they do (SCR_LOG_SYSLOG_ENABLE and related parameters)
 * @param operations whether rank 0 is told of each operation, with its time and bandwidth (SCR_DEBUG)
 */
public record LogPolicy(boolean enabled, boolean text, Optional<Syslog> syslog, boolean operations) {
  public static final LogPolicy STANDARD = new LogPolicy(true, true, Optional.empty(), false);

  public LogPolicy {
    Objects.requireNonNull(syslog);
  }
}
