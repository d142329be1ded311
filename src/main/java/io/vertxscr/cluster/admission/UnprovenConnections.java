package io.vertxscr.cluster.admission;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to a port whose other side has not proved yet that it may be there. At most so many wait at a time, each
 * for so long. Thread-safe.
 *
 * <p>Anybody can open connections and be silent, and a process without descriptors makes no checkpoint. Where there are
 * too many, the oldest is closed for the next: who means well has proved itself long before. Each port that others than
 * the daemon's user can reach has one of these; they differ in what a connection is, and in how it is closed.
 *
 * <p>Time in which this process did not listen, because it stood or its loop was busy, does not count for a connection:
 * its proof may wait in the socket. It has its whole time again.
 *
 * @param <C> a connection, which is equal to itself alone
 */
public final class UnprovenConnections<C> {
  private static final Logger LOG = LoggerFactory.getLogger(UnprovenConnections.class);
  /** Of those that were turned away, each so many are a line of the log. */
  private static final int LOG_EVERY = 100;
  /** After which one that could not be closed is tried again. */
  private static final long TRY_AGAIN_MS = 100;
  /** Of an alarm, or of the thread that reads; more is a time in which nobody listened. */
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Lets time pass. */
  interface Alarm {
    void after(long delayMs, Runnable action);
  }

  /** What can be done with a connection of a port. */
  public interface Handling<C> {
    /** Closes it, on any thread, without waiting for anything. */
    void close(C connection);

    /** Whether it can be closed yet; one that cannot is tried again later. Must not block. */
    default boolean isClosable(C connection) {
      return true;
    }

    /** Has this run when the thread that reads the connection gets to it; it is busy until then. Must not block. */
    default void onReader(C connection, Runnable action) {
      action.run();
    }
  }

  /**
   * How many may wait, and for how long.
   *
   * @param turnedAway what is said in the log of those that are closed, after their number
   */
  public record Bounds(int most, long limitMs, String turnedAway) {}

  /** How long a connection has waited. */
  private static final class Wait {
    private final long sinceNs;
    /** Its time is over, which its reader is to confirm. */
    private boolean isOver;

    Wait(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  private final Bounds bounds;
  private final Handling<C> handling;
  private final LongSupplier nowNs;
  private final Alarm alarm;
  /** The oldest first. */
  private final SequencedMap<C, Wait> waiting = new LinkedHashMap<>();
  private boolean alarmed;
  private long turnedAway;

  public UnprovenConnections(Bounds bounds, Handling<C> handling) {
    this(bounds, handling, System::nanoTime, (delayMs, action) ->
        CompletableFuture.delayedExecutor(delayMs, TimeUnit.MILLISECONDS, Runnable::run).execute(action));
  }

  /** The same with a time of the caller's. */
  UnprovenConnections(Bounds bounds, Handling<C> handling, LongSupplier nowNs, Alarm alarm) {
    this.bounds = bounds;
    this.handling = handling;
    this.nowNs = nowNs;
    this.alarm = alarm;
  }

  /** A connection has been opened. Others may be closed for it. */
  public void opened(C connection) {
    List<C> oldest;
    synchronized (this) {
      oldest = takeOldest(waiting.size() - bounds.most() + 1);
      begin(connection);
    }
    turnAway(oldest);
  }

  /** A connection has proved itself, or has ended. Returns whether it was waiting. */
  public synchronized boolean left(C connection) {
    return waiting.remove(connection) != null;
  }

  /** The oldest one is closed, for another reason than the number of these. */
  public void makeRoom() {
    List<C> oldest;
    synchronized (this) {
      oldest = takeOldest(1);
    }
    turnAway(oldest);
  }

  /** Takes so many out that can be closed. Closing them calls others: not within the lock. */
  private List<C> takeOldest(int count) {
    List<C> taken = waiting.keySet().stream().filter(handling::isClosable).limit(Math.max(count, 0)).toList();
    waiting.keySet().removeAll(taken);
    return taken;
  }

  private synchronized void begin(C connection) {
    waiting.putLast(connection, new Wait(nowNs.getAsLong()));
    alarm();
  }

  /** One alarm at a time, for the oldest whose time is not over. */
  private void alarm() {
    if (alarmed) {
      return;
    }
    waiting.values().stream().filter(wait -> !wait.isOver).findFirst().ifPresent(oldest -> {
      alarmed = true;
      long now = nowNs.getAsLong();
      long delayMs = Math.max(
          bounds.limitMs() - TimeUnit.NANOSECONDS.toMillis(now - oldest.sinceNs), TRY_AGAIN_MS);
      alarm.after(delayMs, () -> timePasses(now + TimeUnit.MILLISECONDS.toNanos(delayMs)));
    });
  }

  /** @param dueNs when this should have been called */
  private void timePasses(long dueNs) {
    List<C> over = new ArrayList<>();
    synchronized (this) {
      alarmed = false;
      long now = nowNs.getAsLong();
      waiting.forEach((connection, wait) -> {
        if (!wait.isOver && now - wait.sinceNs >= TimeUnit.MILLISECONDS.toNanos(bounds.limitMs())) {
          wait.isOver = true;
          over.add(connection);
        }
      });
      alarm();
    }
    over.forEach(connection -> handling.onReader(connection, () -> end(connection, dueNs)));
  }

  private void end(C connection, long dueNs) {
    synchronized (this) {
      Wait wait = waiting.get(connection);
      if (wait == null) {
        return;
      }
      if (nowNs.getAsLong() - dueNs > LATE_NS) {
        begin(connection);
        return;
      }
      if (!handling.isClosable(connection)) {
        wait.isOver = false;
        alarm();
        return;
      }
      waiting.remove(connection);
    }
    turnAway(List.of(connection));
  }

  private void turnAway(List<C> late) {
    for (C connection : late) {
      handling.close(connection);
      long before;
      synchronized (this) {
        before = turnedAway++;
      }
      if (before % LOG_EVERY == 0) {
        LOG.warn("{} {}", before + 1, bounds.turnedAway());
      }
    }
  }
}
