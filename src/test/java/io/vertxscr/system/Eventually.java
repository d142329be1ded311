package io.vertxscr.system;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what other processes do: asks until it holds, for a bounded time. */
final class Eventually {
  private static final long POLL_MS = 20;

  private Eventually() {}

  static void holds(String what, Callable<Boolean> condition) throws Exception {
    holds(what, EmbeddedRun.PATIENCE_S, condition);
  }

  static void holds(String what, int patienceS, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceS);
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within " + patienceS + " s: " + what);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }
}
