package io.vertxscr.examples.heat;

import java.nio.file.Path;
import java.util.Objects;

/**
 * All that one rank must know.
 *
 * @param host address of this machine at which the neighbours reach this rank; it listens on a free port there
 * @param rendezvous directory in which the ranks of this run find each other; used for one run only
 * @param output directory for the final field, created if it is missing
 * @param timeoutMs longest wait for a neighbour, to appear as well as to answer
 */
public record HeatOptions(
    int rank, int ranks, HeatProblem problem, String host, Path rendezvous, Path output, int timeoutMs) {
  public static final int DEFAULT_TIMEOUT_MS = 30_000;

  public HeatOptions {
    Objects.requireNonNull(host);
    Objects.requireNonNull(rendezvous);
    Objects.requireNonNull(output);
    if (ranks < 1 || ranks > problem.size()) {
      throw new IllegalArgumentException(ranks + " ranks: expected 1 to " + problem.size()
          + ", a row for each at least");
    }
    if (rank < 0 || rank >= ranks) {
      throw new IllegalArgumentException("rank " + rank + ": expected 0 to " + (ranks - 1));
    }
    if (timeoutMs < 1) {
      throw new IllegalArgumentException("timeout " + timeoutMs + " ms: expected at least 1");
    }
  }

  HeatProblem.Rows rows() {
    return problem.rowsOf(rank, ranks);
  }
}
