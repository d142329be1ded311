package io.vertxscr.timing;

import java.util.concurrent.TimeUnit;

/**
 * Waits for what has no event that a test could wait for. That is files, other processes, the state of another thread.
 * The one place where tests poll. A condition that finally holds passes on a machine of any speed; one that never holds
 * is reported within a bounded time, and an interrupt, such as that of a test's timeout, ends the wait.
 */
public final class Eventually {
  /** Bounds every wait of a test; far above what anything takes. */
  public static final int PATIENCE_S = 60;

  private static final long POLL_MS = 5;

  private Eventually() {}

  /** What is waited for. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** Asks until it holds. */
  public static void holds(String what, Condition condition) throws Exception {
    holds(what, PATIENCE_S, condition);
  }

  /** The same with another bound. */
  public static void holds(String what, int patienceS, Condition condition) throws Exception {
    long startNs = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(patienceS)) {
        throw new AssertionError("not within " + patienceS + " s: " + what);
      }
      Thread.sleep(POLL_MS);                              // polls what has no event
    }
  }
}
