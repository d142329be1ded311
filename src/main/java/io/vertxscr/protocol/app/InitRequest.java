package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Joins one rank to the run ({@link Verb#INIT}, collective). Repeating it over the same connection gives the same
 * answer.
 *
 * @param rank from 0, below {@code ranks}
 * @param ranks size of the run, the same for all
 * @param prefix absolute path of the prefix directory, the same for all
 * @param jobName name of the job; may be empty
 * @param environment the SCR_* variables of the rank's process; those of rank 0 count for the run
 * @param config configuration calls of the application, in order; those of rank 0 count for the run
 */
public record InitRequest(int rank, int ranks, String prefix, String jobName,
    Optional<Map<String, String>> environment, Optional<List<String>> config) {
  public InitRequest {
    FieldChecks.range("ranks", ranks, 1, Limits.MAX_RANKS);
    FieldChecks.range("rank", rank, 0, ranks - 1);
    FieldChecks.absolute("prefix", prefix);
    if (!jobName.isEmpty()) {
      FieldChecks.text("jobName", jobName);
    }
    environment.ifPresent(ConfigRequest::checkEnvironment);
    config.ifPresent(ConfigRequest::checkConfig);
  }

  /** A rank that configures nothing. */
  public InitRequest(int rank, int ranks, String prefix, String jobName) {
    this(rank, ranks, prefix, jobName, Optional.empty(), Optional.empty());
  }
}
