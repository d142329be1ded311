package io.vertxscr.service.log;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.run.LogPolicy;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.log.LogFile;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.function.Supplier;

/**
 * Writes the leader's events into the log of the prefix directory, behind everybody's back: nobody waits for a line and
 * nothing fails for one, but for the stop of the daemon, which waits for a moment. On the node's loop.
 */
public final class EventLog implements Observer {
  private static final long LAST_LINES_MS = 2000;

  private final Loop loop;
  private final LogLines lines;
  private final Supplier<LocalDateTime> clock;
  private final LogPolicy standard;
  private boolean knowsRun;
  private Path prefix;
  /** Null where nothing is to be written. */
  private LogQueue queue;

  /**
   * Writes for a node, while it leads.
   *
   * @param standard what holds where no run has told: for a scavenge by a leader that has not led the run
   */
  public EventLog(Loop loop, LogLines lines, Supplier<LocalDateTime> clock, LogPolicy standard) {
    this.loop = loop;
    this.lines = lines;
    this.clock = clock;
    this.standard = standard;
  }

  /**
   * The log is that of this prefix directory from now on; what is still to be written into another one goes there.
   *
   * @param background whether flushes are done while the application computes
   */
  public void open(String directory, LogPolicy policy, boolean background) {
    knowsRun = true;
    lines.background(background);
    Path wanted = Path.of(directory);
    if (!policy.enabled() || !policy.text()) {
      end();
    } else if (queue == null || !wanted.equals(prefix)) {
      end();
      prefix = wanted;
      queue = new LogQueue(loop, new LogFile(new PrefixPaths(wanted)));
    }
  }

  private void end() {
    if (queue != null) {
      queue.end();
      queue = null;
    }
  }

  @Override
  public void notice(Event event) {
    if (event instanceof Event.ScavengeStarted scavenge && !knowsRun) {
      open(scavenge.prefix(), standard, true);
    }
    if (queue != null) {
      queue.add(lines.of(event, clock.get()));
    }
  }

  /** Takes no more. Completes, well in any case, when the last lines are written, or cannot be for two seconds. */
  public Future<Void> close() {
    if (queue == null) {
      return Future.succeededFuture();
    }
    Promise<Void> closed = loop.promise();
    Future<Void> written = queue.end();
    queue = null;
    long timer = loop.after(LAST_LINES_MS, closed::tryComplete);
    written.onComplete((_, _) -> {
      loop.cancel(timer);
      closed.tryComplete();
    });
    return closed.future();
  }
}
