package io.vertxscr.config.policy;

import java.util.List;
import java.util.Locale;

/**
 * Destination of log lines by UDP, and their attributes.
 *
 * @param facility one of {@link #FACILITIES} (SCR_LOG_SYSLOG_FACILITY)
 * @param level one of {@link #LEVELS} (SCR_LOG_SYSLOG_LEVEL)
 * @param prefix what each line begins with (SCR_LOG_SYSLOG_PREFIX)
 */
public record Syslog(String host, int port, String facility, String level, String prefix) {
  /** By their numbers, from 0. */
  public static final List<String> FACILITIES = List.of("LOG_KERN", "LOG_USER", "LOG_MAIL", "LOG_DAEMON", "LOG_AUTH",
      "LOG_SYSLOG", "LOG_LPR", "LOG_NEWS", "LOG_UUCP", "LOG_CRON", "LOG_AUTHPRIV", "LOG_FTP", "LOG_NTP", "LOG_AUDIT",
      "LOG_ALERT", "LOG_CLOCK", "LOG_LOCAL0", "LOG_LOCAL1", "LOG_LOCAL2", "LOG_LOCAL3", "LOG_LOCAL4", "LOG_LOCAL5",
      "LOG_LOCAL6", "LOG_LOCAL7");
  /** By their numbers, from 0, the most severe first. */
  public static final List<String> LEVELS = List.of("LOG_EMERG", "LOG_ALERT", "LOG_CRIT", "LOG_ERR", "LOG_WARNING",
      "LOG_NOTICE", "LOG_INFO", "LOG_DEBUG");

  public Syslog {
    facility = facility.toUpperCase(Locale.ROOT);
    level = level.toUpperCase(Locale.ROOT);
    Checks.range("port of syslog", port, 1, 65_535);
    Checks.range("place of " + facility + " among the facilities of syslog", FACILITIES.indexOf(facility), 0,
        FACILITIES.size() - 1);
    Checks.range("place of " + level + " among the levels of syslog", LEVELS.indexOf(level), 0, LEVELS.size() - 1);
  }

  /** The number that stands before each line. */
  public int priority() {
    return FACILITIES.indexOf(facility) * LEVELS.size() + LEVELS.indexOf(level);
  }
}
