package io.vertxscr.service.log;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.policy.LogPolicy;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Writes the leader's events to the log of the prefix directory and to syslog, best effort. Lines are written in the
 * background without a wait or failure of others; only the stop of the daemon waits for a moment. On the node's loop.
 */
public final class EventLog implements Observer {
  private static final long LAST_LINES_MS = 2000;

  private final Loop loop;
  private final LogLines lines;
  private final Supplier<LocalDateTime> clock;
  private final LogPolicy standard;
  private boolean knowsRun;
  private Targets targets = new Targets(Optional.empty(), Optional.empty());
  private List<LogQueue> queues = List.of();

  /** Destinations of lines: the log of this prefix directory, and this syslog. */
  private record Targets(Optional<Path> prefix, Optional<Syslog> syslog) {
    static Targets of(Path prefix, LogPolicy policy) {
      return new Targets(Optional.of(prefix).filter(_ -> policy.enabled() && policy.text()),
          policy.syslog().filter(_ -> policy.enabled()));
    }

    Stream<LogSink> open() {
      return Stream.concat(prefix.map(PrefixPaths::new).map(LogFile::new).<LogSink>map(file -> file::append).stream(),
          syslog.<LogSink>map(SyslogSink::new).stream());
    }
  }

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
   * Switches the log to this prefix directory; pending lines of another one are still written there.
   *
   * @param background whether flushes are done while the application computes
   */
  public void open(String directory, LogPolicy policy, boolean background) {
    knowsRun = true;
    lines.background(background);
    Targets wanted = Targets.of(loop.files().path(directory), policy);
    if (queues.isEmpty() || !wanted.equals(targets)) {
      end();
      targets = wanted;
      queues = wanted.open().map(sink -> new LogQueue(loop, sink)).toList();
    }
  }

  private Future<?> end() {
    List<LogQueue> old = queues;
    queues = List.of();
    return Future.join(old.stream().map(LogQueue::end).toList());
  }

  @Override
  public void notice(Event event) {
    if (event instanceof Event.ScavengeStarted scavenge && !knowsRun) {
      open(scavenge.prefix(), standard, true);
    }
    if (!queues.isEmpty()) {
      List<LogLine> said = lines.of(event, clock.get());
      queues.forEach(queue -> queue.add(said));
    }
  }

  /**
   * Accepts no more events. Completes, successfully in any case, when the last lines are written, or cannot be for
   * two seconds.
   */
  public Future<Void> close() {
    if (queues.isEmpty()) {
      return Future.succeededFuture();
    }
    Promise<Void> closed = loop.promise();
    Future<?> written = end();
    long timer = loop.after(LAST_LINES_MS, closed::tryComplete);
    written.onComplete((_, _) -> {
      loop.cancel(timer);
      closed.tryComplete();
    });
    return closed.future();
  }
}
