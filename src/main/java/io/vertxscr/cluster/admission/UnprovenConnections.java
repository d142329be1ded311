package io.vertxscr.cluster.admission;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
 * @param <C> a connection, which is equal to itself alone
 */
public final class UnprovenConnections<C> {
  private static final Logger LOG = LoggerFactory.getLogger(UnprovenConnections.class);
  /** Of those that were turned away, each so many are a line of the log. */
  private static final int LOG_EVERY = 100;
  /** After which one that could not be closed is tried again. */
  private static final long TRY_AGAIN_MS = 100;

  /** Lets time pass. */
  interface Alarm {
    void after(long delayMs, Runnable action);
  }

  /**
   * How many may wait, and for how long.
   *
   * @param turnedAway what is said in the log of those that are closed, after their number
   */
  public record Bounds(int most, long limitMs, String turnedAway) {}

  private final Bounds bounds;
  private final Predicate<C> closable;
  private final Consumer<C> close;
  private final LongSupplier nowNs;
  private final Alarm alarm;
  /** Since when; the oldest first. */
  private final SequencedMap<C, Long> waiting = new LinkedHashMap<>();
  private boolean alarmed;
  private long dueNs;
  private boolean postponed;
  private long turnedAway;

  /** @param close closes a connection, on any thread, without waiting for anything */
  public UnprovenConnections(Bounds bounds, Consumer<C> close) {
    this(bounds, _ -> true, close);
  }

  /** @param closable whether a connection can be closed yet; one that cannot is tried again later. Must not block. */
  public UnprovenConnections(Bounds bounds, Predicate<C> closable, Consumer<C> close) {
    this(bounds, closable, close, System::nanoTime, (delayMs, action) ->
        CompletableFuture.delayedExecutor(delayMs, TimeUnit.MILLISECONDS, Runnable::run).execute(action));
  }

  /** The same with a time of the caller's. */
  UnprovenConnections(Bounds bounds, Predicate<C> closable, Consumer<C> close, LongSupplier nowNs, Alarm alarm) {
    this.bounds = bounds;
    this.closable = closable;
    this.close = close;
    this.nowNs = nowNs;
    this.alarm = alarm;
  }

  /** A connection has been opened. Others may be closed for it. */
  public void opened(C connection) {
    List<C> oldest;
    synchronized (this) {
      oldest = take(_ -> waiting.size() >= bounds.most());
      waiting.put(connection, nowNs.getAsLong());
      alarm();
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
      int before = waiting.size();
      oldest = take(_ -> waiting.size() == before);
    }
    turnAway(oldest);
  }

  private void timePasses() {
    List<C> late;
    synchronized (this) {
      long now = nowNs.getAsLong();
      if (now - dueNs > TimeUnit.MILLISECONDS.toNanos(TRY_AGAIN_MS) && !postponed) {
        postponed = true;                                 // the process stood: what they have sent is read first
        alarm.after(TRY_AGAIN_MS, this::timePasses);
        return;
      }
      alarmed = false;
      postponed = false;
      late = take(since -> now - since >= TimeUnit.MILLISECONDS.toNanos(bounds.limitMs()));
      alarm();
    }
    turnAway(late);
  }

  /** The oldest ones, as long as this holds of the next. Closing them calls others: not within the lock. */
  private List<C> take(Predicate<Long> whileSince) {
    List<C> taken = new ArrayList<>();
    Iterator<Map.Entry<C, Long>> oldest = waiting.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<C, Long> next = oldest.next();
      if (!whileSince.test(next.getValue())) {
        break;
      }
      if (closable.test(next.getKey())) {
        taken.add(next.getKey());
        oldest.remove();
      }
    }
    return taken;
  }

  /** One alarm at a time, for the oldest. */
  private void alarm() {
    if (!alarmed && !waiting.isEmpty()) {
      alarmed = true;
      long waitedMs = TimeUnit.NANOSECONDS.toMillis(nowNs.getAsLong() - waiting.firstEntry().getValue());
      long delayMs = Math.max(bounds.limitMs() - waitedMs, TRY_AGAIN_MS);
      dueNs = nowNs.getAsLong() + TimeUnit.MILLISECONDS.toNanos(delayMs);
      alarm.after(delayMs, this::timePasses);
    }
  }

  private void turnAway(List<C> late) {
    for (C connection : late) {
      close.accept(connection);
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
