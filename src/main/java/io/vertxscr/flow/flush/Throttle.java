package io.vertxscr.flow.flush;

/**
 * Paces writing to a rate that may change at any time. Who writes may go into debt by one piece, and then waits until
 * that is paid off; what a writer that was late has missed it may catch up on, for {@link #CATCH_UP_NS} at most. Not
 * thread-safe. Times in nanoseconds of any clock that does not go back.
 */
public final class Throttle {
  /** Bytes that were not written for so long may be written at once. */
  public static final long CATCH_UP_NS = 20_000_000;
  private static final double NS_PER_SECOND = 1e9;

  private long bytesPerSecond;
  private double credit;
  private long atNs;

  /** Writes nothing until it is told a rate. */
  public Throttle(long nowNs) {
    atNs = nowNs;
  }

  /** From now on; 0 or more, {@link Leases#UNLIMITED} for as fast as may be. */
  public void rate(long bytesPerSecond, long nowNs) {
    earn(nowNs);
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Returns the wait before the next piece is written; 0: none. Long.MAX_VALUE: until the rate changes. */
  public long delayNs(long nowNs) {
    earn(nowNs);
    if (bytesPerSecond == Leases.UNLIMITED || credit > 0) {
      return 0;
    }
    return bytesPerSecond == 0 ? Long.MAX_VALUE : (long) ((1 - credit) / bytesPerSecond * NS_PER_SECOND) + 1;
  }

  /** Bytes that were written and are not paid off yet. */
  public long debtBytes(long nowNs) {
    earn(nowNs);
    return (long) Math.max(0, -credit);
  }

  /** So many bytes are written, whether there was credit or not. */
  public void took(long bytes) {
    if (bytesPerSecond != Leases.UNLIMITED) {
      credit -= bytes;
    }
  }

  private void earn(long nowNs) {
    double perNs = bytesPerSecond == Leases.UNLIMITED ? 0 : bytesPerSecond / NS_PER_SECOND;
    credit = Math.min(credit + (nowNs - atNs) * perNs, Math.max(1, CATCH_UP_NS * perNs));
    atNs = nowNs;
  }
}
