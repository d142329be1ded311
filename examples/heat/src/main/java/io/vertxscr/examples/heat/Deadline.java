package io.vertxscr.examples.heat;

import java.io.InterruptedIOException;

/** The end of a bounded wait. */
final class Deadline {
  private final int timeoutMs;
  private final long endNanos;

  private Deadline(int timeoutMs) {
    this.timeoutMs = timeoutMs;
    endNanos = System.nanoTime() + timeoutMs * 1_000_000L;
  }

  static Deadline in(int timeoutMs) {
    return new Deadline(timeoutMs);
  }

  boolean passed() {
    return System.nanoTime() - endNanos >= 0;
  }

  /** At least 1, since 0 means forever to those who are told to wait. */
  long remainingMs() {
    return Math.max(1, (endNanos - System.nanoTime()) / 1_000_000);
  }

  void sleep(long ms) throws InterruptedIOException {
    try {
      Thread.sleep(Math.min(ms, remainingMs()));          // polls files of other processes
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting");
    }
  }

  @Override
  public String toString() {
    return "within " + timeoutMs + " ms";
  }
}
