package io.vertxscr.cli.scr;

import io.vertxscr.cli.offline.CommandLog;
import io.vertxscr.format.prefix.LogLine;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Common part of the commands that write a line into the log. */
abstract class LogFront extends Front {
  @Option(names = "-p", required = true, paramLabel = "DIR", description = "Prefix directory.")
  private Path prefix;

  @Option(names = "-u", paramLabel = "USER", description = NO_EFFECT + "a line of the log has no user.")
  private String user;

  @Option(names = "-j", paramLabel = "NAME", description = NO_EFFECT + "a line of the log has no name of a job.")
  private String jobName;

  @Option(names = "-i", paramLabel = "ID", description = "Number of the job; that of this job if not given.")
  private String jobId;

  @Option(names = "-s", paramLabel = "SECONDS", description = NO_EFFECT + "a line of the log has no start of a job.")
  private long jobStart;

  @Option(names = "-T", required = true, paramLabel = "TYPE", description = "What has happened, as a word.")
  String type;

  @Option(names = "-D", paramLabel = "ID", description = "Number of the dataset.")
  private int dataset;

  @Option(names = "-n", paramLabel = "NAME", description = "Name of the dataset.")
  private String datasetName = "";

  @Option(names = "-S", paramLabel = "SECONDS", description = "When it began, since 1970; now if not given.")
  private Long start;

  @Option(names = "-L", paramLabel = "SECONDS", description = "How long it took.")
  private Double duration;

  LogFront(Surroundings surroundings) {
    super(surroundings);
  }

  /** Adds what both have, and writes it. */
  final int write(LogLine.Builder line) {
    line.dataset(dataset).text("name", datasetName);
    if (duration != null) {
      line.seconds(duration);
    }
    LocalDateTime time = start == null ? LocalDateTime.now()
        : LocalDateTime.ofInstant(Instant.ofEpochSecond(start), ZoneId.systemDefault());
    var log = new CommandLog(prefix(prefix), environment(), err());
    return log.add(line, time, Optional.ofNullable(jobId)) ? 0 : FAILED;
  }
}
