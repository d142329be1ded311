package io.vertxscr.cli.drill;

import io.vertxscr.cli.launch.Signal;

/** Input of a drill, from several threads, in one queue. Each has the time of its arrival, {@code System.nanoTime}. */
sealed interface DrillSignal {
  long nanos();

  /** From a daemon. */
  record OfDaemon(Signal signal, long nanos) implements DrillSignal {}

  /** From a rank. @param run 1 before the loss, 2 after it */
  record OfRank(int run, DrillNews news, long nanos) implements DrillSignal {}

  /** A rank has ended. @param last its last words */
  record RankEnded(int run, int rank, int exit, String last, long nanos) implements DrillSignal {}

  /** This process is to end. */
  record Interrupted(long nanos) implements DrillSignal {}
}
