package io.vertxscr.cluster.peer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends what does not move. One thread looks at every {@link Watch} once a tick, its own or that of a test.
 *
 * <p>Why not socket timeouts: they apply to socket streams only, and those copy through heap arrays; channels read into
 * direct buffers but has no timeout. Closing the channel from here wakes a blocked thread.
 *
 * <p>Silence is counted in ticks, not read from a clock: a process that was stopped for a minute and goes on does not
 * find all its peers dead, because it did not tick meanwhile. It also keeps the clock out of the path of the bytes.
 */
final class PeerWatchdog implements AutoCloseable {
  private final int tickMs;
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Without a thread: its owner calls {@link #tick}. @param tickMs how long a tick stands for */
  PeerWatchdog(int tickMs) {
    this.tickMs = tickMs;
  }

  /** A watchdog whose own thread ticks. */
  static PeerWatchdog start(String name, int tickMs) {
    PeerWatchdog watchdog = new PeerWatchdog(tickMs);
    Thread.ofPlatform().daemon().name(name).start(watchdog::run);
    return watchdog;
  }

  /**
   * Starts to watch, without a limit at first.
   *
   * @param onSilence called at most once, by the watchdog's thread; must neither block nor throw
   */
  Watch watch(Runnable onSilence) {
    Watch watch = new Watch(onSilence);
    watches.add(watch);
    return watch;
  }

  /** Stops the thread; watched connections are not closed. */
  @Override
  public void close() {
    closed.countDown();
  }

  /** So much time has gone by. One thread at a time. */
  void tick() {
    watches.forEach(Watch::tick);
  }

  private void run() {
    try {
      while (!closed.await(tickMs, TimeUnit.MILLISECONDS)) {
        tick();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();       // nobody of us does that: somebody wants this thread to end
    }
  }

  /** One thing that has to move. All but {@code tick} belongs to the thread that moves it. */
  final class Watch {
    private final Runnable onSilence;
    private volatile int allowedTicks;          // 0: no limit
    private volatile long moves;
    private boolean renewable;                  // owner only
    private long seenMoves;                     // watchdog only, like the next
    private int silentTicks;

    private Watch(Runnable onSilence) {
      this.onSilence = onSilence;
    }

    /** From now on: at most {@code ms} between two calls of {@link #moved}. */
    void limitSilence(int ms) {
      limit(ms, true);
    }

    /** Limits the total time from now on to {@code ms}, even with progress. */
    void limitTotal(int ms) {
      limit(ms, false);
    }

    void noLimit() {
      allowedTicks = 0;
    }

    void moved() {
      if (renewable) {
        touch();
      }
    }

    void end() {
      watches.remove(this);
    }

    private void limit(int ms, boolean renew) {
      renewable = renew;
      touch();
      allowedTicks = ms / tickMs + 2;           // the first tick only notices the new limit, the last is begun
    }

    private void touch() {
      moves = moves + 1;                        // one writer
    }

    private void tick() {
      if (allowedTicks == 0 || moves != seenMoves) {
        seenMoves = moves;
        silentTicks = 0;
      } else if (++silentTicks >= allowedTicks && watches.remove(this)) {
        onSilence.run();
      }
    }
  }
}
