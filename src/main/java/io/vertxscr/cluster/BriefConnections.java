package io.vertxscr.cluster;

import io.vertx.core.Vertx;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that anybody can open: at most so many at a time, each for a limited time.
 *
 * <p>Where there are too many, the oldest makes room for the next: who means well is done with it long before. On one
 * event loop.
 */
public final class BriefConnections {
  private static final Logger LOG = LoggerFactory.getLogger(BriefConnections.class);
  /** Of those that were turned away, each so many are a line of the log. */
  private static final int LOG_EVERY = 100;

  private final Vertx vertx;
  private final int most;
  private final long limitMs;
  private final String turnedAwayText;
  /** What closes a connection, by its timer; the oldest first. */
  private final SequencedMap<Long, Runnable> open = new LinkedHashMap<>();
  private long turnedAway;

  /** @param turnedAwayText what is said in the log of those that are closed, after their number */
  public BriefConnections(Vertx vertx, int most, long limitMs, String turnedAwayText) {
    this.vertx = vertx;
    this.most = most;
    this.limitMs = limitMs;
    this.turnedAwayText = turnedAwayText;
  }

  /**
   * Admits a connection that has just been opened.
   *
   * @param close closes it, now or a little later
   * @return to be run when it has ended, or may stay
   */
  public Runnable admit(Runnable close) {
    if (open.size() >= most) {
      turnAway(open.firstEntry().getKey());
    }
    long timer = vertx.setTimer(limitMs, this::turnAway);
    open.put(timer, close);
    return () -> {
      vertx.cancelTimer(timer);
      open.remove(timer);
    };
  }

  private void turnAway(long timer) {
    Runnable close = open.remove(timer);
    if (close != null) {
      vertx.cancelTimer(timer);
      close.run();
      if (turnedAway++ % LOG_EVERY == 0) {
        LOG.warn("{} {}", turnedAway, turnedAwayText);
      }
    }
  }
}
