package io.vertxscr.service.log;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounded queue of lines for one log: at most {@value #MOST_WAITING} wait, the oldest are dropped. Writes are
 * serialized, with a rest between two of them, so that what comes meanwhile is one write and one sync; a failing file
 * is retried with backoff, and reported once. On the loop.
 */
final class LogQueue {
  private static final Logger LOG = LoggerFactory.getLogger(LogQueue.class);
  private static final int MOST_WAITING = 10_000;
  /** Between two writes: a phase has two lines, and many phases a second should not sync a log as often. */
  private static final long REST_MS = 200;
  private static final long FIRST_PAUSE_MS = 1000;
  private static final long LONGEST_PAUSE_MS = 60_000;

  private final Loop loop;
  private final LogSink sink;
  private final Deque<LogLine> waiting = new ArrayDeque<>();
  private Future<Void> writing = Future.succeededFuture();
  private boolean scheduled;
  private boolean rests;
  private boolean ended;
  private long pauseMs;
  private long dropped;

  LogQueue(Loop loop, LogSink sink) {
    this.loop = loop;
    this.sink = sink;
  }

  void add(List<LogLine> lines) {
    waiting.addAll(lines);
    while (waiting.size() > MOST_WAITING) {
      waiting.removeFirst();
      dropped++;
    }
    if (pauseMs == 0 && !rests) {
      writeSoon();
    }
  }

  private void writeSoon() {
    if (!scheduled && !waiting.isEmpty()) {
      scheduled = true;
      writing = writing.transform((_, _) -> write());
    }
  }

  private Future<Void> write() {
    scheduled = false;
    List<LogLine> batch = new ArrayList<>(waiting);
    waiting.clear();
    return loop.prefix().<Void>run("write the log", () -> {
      sink.append(batch);
      return null;
    }).onSuccess(_ -> written()).recover(failure -> {
      failed(batch, failure);
      return Future.succeededFuture();
    });
  }

  private void written() {
    if (pauseMs > 0) {
      LOG.info("the log can be written again; lost meanwhile: {} lines", dropped);
    }
    pauseMs = 0;
    dropped = 0;
    if (!ended) {
      rests = true;
      loop.after(REST_MS, () -> {
        rests = false;
        writeSoon();
      });
    }
  }

  private void failed(List<LogLine> batch, Throwable failure) {
    if (pauseMs == 0) {
      LOG.warn("the log cannot be written, its lines wait: {}", failure.getMessage());
    }
    batch.reversed().forEach(waiting::addFirst);
    pauseMs = Math.clamp(pauseMs * 2, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (!ended) {
      loop.after(pauseMs, this::writeSoon);
    }
  }

  /**
   * Accepts no more lines. Completes, always successfully, after the last line is written, or fails to be written now,
   * or the directory of the log gives no answer.
   */
  Future<Void> end() {
    ended = true;
    writeSoon();
    Future<Void> closed = writing.compose(_ -> loop.prefix().run("close the log", () -> {
      sink.close();
      return null;
    }));
    return loop.prefix().within(PrefixJobs.PATIENCE, closed).otherwiseEmpty();
  }
}
