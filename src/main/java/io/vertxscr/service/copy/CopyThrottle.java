package io.vertxscr.service.copy;

import io.vertxscr.flow.flush.Leases.Share;
import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Meter;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Throttle for the copies of one attempt on this node, called before each piece. Copies wait while the leader's share
 * is used up or expired, and while a phase has priority. Thread-safe.
 */
final class CopyThrottle implements Meter {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Clock clock;
  private final Throttle throttle;
  private int writers;
  private int busy;
  private long leaseEndNs;
  private long yieldEndNs;
  private long passedBytes;
  private ScrException closed;

  /** Time, and waiting for it; a test has its own. */
  interface Clock {
    /** Waits as threads do, by this count of nanoseconds. */
    static Clock of(LongSupplier nanoTime) {
      return new Clock() {
        @Override
        public long nowNs() {
          return nanoTime.getAsLong();
        }

        @Override
        public void await(Condition condition, long ns) throws InterruptedException {
          long left = condition.awaitNanos(ns);
          assert left <= ns;                              // woken or not: who waits looks again
        }
      };
    }

    long nowNs();

    /** Until it is signalled, or so much time is over, or for no reason. */
    void await(Condition condition, long ns) throws InterruptedException;
  }

  /** Creates a closed throttle; it opens with the first share. */
  CopyThrottle(Clock clock) {
    this.clock = clock;
    this.throttle = new Throttle(clock.nowNs());
    this.leaseEndNs = clock.nowNs();
    this.yieldEndNs = clock.nowNs();
  }

  /** Sets the share, valid from the time of its request. */
  void share(Share share, long askedNs) {
    locked(() -> {
      long now = clock.nowNs();
      writers = share.writers();
      leaseEndNs = askedNs + share.leaseMs() * 1_000_000;
      throttle.rate(share.bytesPerSecond(), now);
    });
  }

  /** Yields to a phase until this time at most; a time in the past ends it. */
  void yieldUntil(long endNs) {
    locked(() -> yieldEndNs = endNs);
  }

  /** One more file is begun, if that may be now. */
  boolean enter() {
    lock.lock();
    try {
      long now = clock.nowNs();
      if (closed != null || busy >= writers || now - leaseEndNs >= 0 || now - yieldEndNs < 0) {
        return false;
      }
      busy++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A file is copied, or failed. */
  void leave() {
    locked(() -> busy--);
  }

  /** Fails all waiting and later copies with the cause. */
  void close(ScrException cause) {
    locked(() -> closed = closed == null ? cause : closed);
  }

  int busy() {
    lock.lock();
    try {
      return busy;
    } finally {
      lock.unlock();
    }
  }

  long passedBytes() {
    lock.lock();
    try {
      return passedBytes;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void passing(int bytes) {
    lock.lock();
    try {
      for (long waitNs = delayNs(); waitNs > 0; waitNs = delayNs()) {
        clock.await(changed, waitNs);
      }
      throttle.took(bytes);
      passedBytes += bytes;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "the copy was interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  private long delayNs() {
    if (closed != null) {
      throw closed;
    }
    long now = clock.nowNs();
    if (now - yieldEndNs < 0) {
      return yieldEndNs - now;
    }
    boolean has = writers >= busy && now - leaseEndNs < 0;
    return has ? throttle.delayNs(now) : Long.MAX_VALUE;  // until the next share comes
  }

  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
