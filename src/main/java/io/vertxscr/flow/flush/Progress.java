package io.vertxscr.flow.flush;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** Progress of the copies of one attempt on all nodes: bytes, rate, remaining time. By the leader's clock. */
public final class Progress {
  /** The rate is that of so long a time before now. */
  public static final long WINDOW_MS = 5_000;
  /** Others are told at most this often. */
  public static final long TELL_MS = 1_000;
  private static final long MS_PER_SECOND = 1_000;

  private final long totalBytes;
  private final Map<String, Long> doneByNode = new HashMap<>();
  private final Deque<Point> points = new ArrayDeque<>();
  private long doneBytes;
  private boolean told;
  private long toldMs;

  private record Point(long timeMs, long bytes) {}

  /** Of so many bytes, none of which is copied yet. */
  public Progress(long totalBytes, long nowMs) {
    this.totalBytes = totalBytes;
    points.add(new Point(nowMs, 0));
  }

  /** Records the bytes that a node has copied in this attempt; older reports change nothing. */
  public void note(String node, long bytes, long nowMs) {
    long before = doneByNode.merge(node, bytes, Math::max);
    doneBytes = doneByNode.values().stream().mapToLong(Long::longValue).sum();
    if (before == bytes) {
      points.add(new Point(nowMs, doneBytes));
      forget(nowMs);
    }
  }

  /** All is copied, also what no node has told yet. */
  public void complete(long nowMs) {
    doneBytes = totalBytes;
    points.add(new Point(nowMs, doneBytes));
  }

  /** Whether others are to be told how far it is by now: the first time, and then now and again. They are, if so. */
  public boolean isDue(long nowMs) {
    if (told && nowMs - toldMs < TELL_MS) {
      return false;
    }
    told = true;
    toldMs = nowMs;
    return true;
  }

  /** Keeps one point from before the window, where the rate begins. */
  private void forget(long nowMs) {
    while (points.size() > 2) {
      Point first = points.removeFirst();
      if (points.getFirst().timeMs > nowMs - WINDOW_MS) {
        points.addFirst(first);
        return;
      }
    }
  }

  public long totalBytes() {
    return totalBytes;
  }

  /** Copied on all nodes; never more than there is. */
  public long doneBytes() {
    return Math.min(doneBytes, totalBytes);
  }

  /** Average of the last seconds; 0 before the first report. */
  public long bytesPerSecond(long nowMs) {
    forget(nowMs);
    Point first = points.getFirst();
    long ms = nowMs - first.timeMs;
    return ms <= 0 ? 0 : (long) ((doneBytes - first.bytes) * (double) MS_PER_SECOND / ms);
  }

  /** Until all is copied, at the rate of the last seconds; empty while nothing moves. */
  public OptionalLong remainingMs(long nowMs) {
    long rate = bytesPerSecond(nowMs);
    return rate == 0 ? OptionalLong.empty()
        : OptionalLong.of((long) Math.ceil((totalBytes - doneBytes()) * (double) MS_PER_SECOND / rate));
  }
}
