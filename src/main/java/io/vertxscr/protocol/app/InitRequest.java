package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * Brings one rank into the run ({@link Verb#INIT}, collective). Repeating it over the same connection gives the same
 * answer.
 *
 * @param rank from 0, below {@code ranks}
 * @param ranks size of the run, the same for all
 * @param prefix absolute path of the prefix directory, the same for all
 * @param jobName what the job calls itself; may be empty
 */
public record InitRequest(int rank, int ranks, String prefix, String jobName) {
  public InitRequest {
    Checks.range("ranks", ranks, 1, Limits.MAX_RANKS);
    Checks.range("rank", rank, 0, ranks - 1);
    Checks.absolute("prefix", prefix);
    if (!jobName.isEmpty()) {
      Checks.text("jobName", jobName);
    }
  }
}
