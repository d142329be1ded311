package io.vertxscr.cluster.bridge;

import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bytes that the unfinished frames of all connections of a bridge may have together. A frame counts with its whole
 * length from its announcement to its last byte; one that does not fit waits, unread, for those before it. Who holds
 * bytes for {@value #PATIENCE_S} s while others wait is given up: a frame is written in one go, and its rest does not
 * come. On the event loop of the bridge.
 */
final class FrameBudget {
  static final int PATIENCE_S = 10;
  static final int SMALL_BYTES = 64 * 1024;
  private static final long TICK_MS = 1_000;

  private final Vertx vertx;
  private final long limitBytes;
  private final Map<Reader, Held> held = new LinkedHashMap<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long heldBytes;
  private boolean ticks;

  /** A connection that reads a frame. */
  interface Reader {
    /** The bytes are there now: goes on reading. */
    void admitted();

    /** Others need the bytes: ends. Calls {@link FrameBudget#release}. */
    void givenUp();
  }

  /**
   * Budgets of a bridge: nobody's large frame is in the way of small ones, which almost all calls are.
   *
   * @param small of frames up to {@link #SMALL_BYTES}
   */
  record Shares(FrameBudget small, FrameBudget large) {
    FrameBudget of(int bytes) {
      return bytes <= SMALL_BYTES ? small : large;
    }

    void release(Reader reader) {
      small.release(reader);
      large.release(reader);
    }
  }

  /** @param sinceTicks seconds since it was given the bytes while others waited */
  private record Held(int bytes, int sinceTicks) {}

  private record Waiting(Reader reader, int bytes) {}

  /** @param limitBytes at least one frame of the largest size */
  FrameBudget(Vertx vertx, long limitBytes) {
    this.vertx = vertx;
    this.limitBytes = limitBytes;
  }

  /** Takes bytes for a frame. @return whether they are there; else the reader is {@link Reader#admitted} later */
  boolean reserve(Reader reader, int bytes) {
    if (waiting.isEmpty() && heldBytes + bytes <= limitBytes) {
      hold(reader, bytes);
      return true;
    }
    waiting.add(new Waiting(reader, bytes));
    tick();
    return false;
  }

  /** The frame is complete, or its connection has ended. */
  void release(Reader reader) {
    Held mine = held.remove(reader);
    heldBytes -= mine == null ? 0 : mine.bytes;
    waiting.removeIf(other -> other.reader == reader);
    while (!waiting.isEmpty() && heldBytes + waiting.getFirst().bytes <= limitBytes) {
      Waiting next = waiting.removeFirst();
      hold(next.reader, next.bytes);
      next.reader.admitted();
    }
  }

  private void hold(Reader reader, int bytes) {
    held.put(reader, new Held(bytes, 0));
    heldBytes += bytes;
  }

  private void tick() {
    if (ticks) {
      return;
    }
    ticks = true;
    vertx.setTimer(TICK_MS, _ -> {
      ticks = false;
      if (!waiting.isEmpty()) {
        held.replaceAll((_, one) -> new Held(one.bytes, one.sinceTicks + 1));
        new ArrayList<>(held.entrySet()).stream().filter(one -> one.getValue().sinceTicks >= PATIENCE_S)
            .map(Map.Entry::getKey).toList().forEach(Reader::givenUp);
        tick();
      }
    });
  }
}
