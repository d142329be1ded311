package io.vertxscr.cli.offline;

import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.log.LogFile;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * What a scavenge by hand leaves in the log of the prefix directory, where a log is wanted. A log that cannot be
 * written harms nothing: that is said, and the scavenge goes on.
 *
 * @param warnings who hears that it cannot be written
 */
record ScavengeLog(PrefixPaths paths, Map<String, String> environment, PrintWriter warnings) {
  void start(int dataset) {
    add(LogLine.event("SCAVENGE_START").dataset(dataset));
  }

  /** @param whole whether it is in the prefix directory now */
  void end(int dataset, boolean whole) {
    add(LogLine.event("SCAVENGE_END").dataset(dataset)
        .text("note", whole ? "in the prefix directory" : "could not be had"));
  }

  private void add(LogLine.Builder line) {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    if (!settings.policy().log().enabled() || !settings.policy().log().text()) {
      return;
    }
    try {
      String host = InetAddress.getLocalHost().getHostName();
      LocalDateTime now = LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS);
      new LogFile(paths).append(List.of(line.at(now, host, settings.job().id())));
    } catch (ScrException | UnknownHostException e) {
      warnings.println("scr: this is not in the log: " + e.getMessage());
    }
  }
}
