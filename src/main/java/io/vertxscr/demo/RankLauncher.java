package io.vertxscr.demo;

import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatOptions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Starts ranks of the heat example. */
public interface RankLauncher {
  /**
   * Starts a rank, and returns without waiting for anything that it does.
   *
   * @param node where it runs and whose checkpoint system it uses; empty for a rank without a checkpoint system
   * @param listener called on a thread of the launcher or the rank
   */
  Running launch(HeatOptions options, Optional<String> node, Consumer<HeatEvent> listener);

  /** A rank that was started. */
  interface Running {
    /** Completes when the rank has ended and nothing of it runs any more; never fails. */
    CompletableFuture<End> ended();

    /** Kills it without notice to others. */
    void kill();
  }

  /**
   * Result of a rank.
   *
   * @param failure its last words; empty where it did all that it had to do
   */
  record End(int rank, Optional<String> failure) {}
}
