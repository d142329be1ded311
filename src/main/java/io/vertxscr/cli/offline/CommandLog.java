package io.vertxscr.cli.offline;

import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes lines of commands into the log of a prefix directory, if a log is enabled. A log that cannot be written harms
 * nothing: that is said.
 *
 * @param warnings where it is said
 */
public record CommandLog(PrefixPaths paths, Map<String, String> environment, PrintWriter warnings) {
  /**
   * Adds a line.
   *
   * @param jobId that of this job where it is empty
   * @return false where it could not be written
   */
  public boolean add(LogLine.Builder line, LocalDateTime time, Optional<String> jobId) {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    if (!settings.policy().log().enabled() || !settings.policy().log().text()) {
      return true;
    }
    try {
      String host = InetAddress.getLocalHost().getHostName();
      new LogFile(paths).append(List.of(
          line.at(time.truncatedTo(ChronoUnit.SECONDS), host, jobId.orElse(settings.job().id()))));
      return true;
    } catch (ScrException | UnknownHostException e) {
      warnings.println("scr: this is not in the log: " + e.getMessage());
      return false;
    }
  }
}
