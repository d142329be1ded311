package io.vertxscr.service.copy;

import io.vertxscr.flow.flush.Leases.Share;
import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.model.ScrException;
import java.util.function.LongSupplier;

/**
 * Throttle for the copies of one attempt on this node. It is asked before each piece and never waits: a copy that hears
 * no gives its thread back until {@link #delayNs} is over. No piece is admitted while the leader's share is used up or
 * expired, or a phase has priority. Thread-safe.
 */
final class CopyThrottle {
  private final LongSupplier nanoTime;
  private final Throttle throttle;
  private int writers;
  private int busy;
  private long leaseEndNs;
  private long yieldEndNs;
  private long passedBytes;
  private ScrException closed;

  /** Creates a closed throttle; it opens with the first share. */
  CopyThrottle(LongSupplier nanoTime) {
    long now = nanoTime.getAsLong();
    this.nanoTime = nanoTime;
    this.throttle = new Throttle(now);
    this.leaseEndNs = now;
    this.yieldEndNs = now;
  }

  /** Sets the share, valid from the time of its request. */
  synchronized void share(Share share, long askedNs) {
    writers = share.writers();
    leaseEndNs = askedNs + share.leaseMs() * 1_000_000;
    throttle.rate(share.bytesPerSecond(), nanoTime.getAsLong());
  }

  /** Yields to a phase until this time at most; a time in the past ends it. */
  synchronized void yieldUntil(long endNs) {
    yieldEndNs = endNs;
  }

  /** One more file is begun, if that may be now. */
  synchronized boolean enter() {
    long now = nanoTime.getAsLong();
    if (closed != null || busy >= writers || now - leaseEndNs >= 0 || now - yieldEndNs < 0) {
      return false;
    }
    busy++;
    return true;
  }

  /** A file is copied, or failed. */
  synchronized void leave() {
    busy--;
  }

  /** Fails all later questions with the cause. */
  synchronized void close(ScrException cause) {
    closed = closed == null ? cause : closed;
  }

  synchronized boolean isClosed() {
    return closed != null;
  }

  synchronized int busy() {
    return busy;
  }

  synchronized long passedBytes() {
    return passedBytes;
  }

  /**
   * Admits a piece of so many bytes, which counts as written, or refuses it for now.
   *
   * @throws ScrException the cause of the end
   */
  synchronized boolean admits(long bytes) {
    if (closed != null) {
      throw closed;
    }
    if (delayNs() > 0) {
      return false;
    }
    throttle.took(bytes);
    return true;
  }

  /** So many bytes have passed; the piece was admitted with so many. */
  synchronized void passed(int bytes, long admittedBytes) {
    throttle.took(bytes - admittedBytes);
    passedBytes += bytes;
  }

  /** What was admitted is not written after all. */
  synchronized void giveBack(long admittedBytes) {
    throttle.took(-admittedBytes);
  }

  /** Returns the wait before a piece is admitted; 0: none. Long.MAX_VALUE: until a share or the end of a file. */
  synchronized long delayNs() {
    long now = nanoTime.getAsLong();
    if (now - yieldEndNs < 0) {
      return yieldEndNs - now;
    }
    boolean has = writers >= busy && now - leaseEndNs < 0;
    return has ? throttle.delayNs(now) : Long.MAX_VALUE;
  }
}
