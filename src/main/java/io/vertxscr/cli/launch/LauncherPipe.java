package io.vertxscr.cli.launch;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What a daemon tells its launcher, in order. A thread of its own writes it: who tells something never waits. A
 * launcher that was stopped, or whose host does not answer, reads nothing for as long as it likes, and the pipe is full
 * soon. Bounded then: the oldest lines go.
 */
public final class LauncherPipe {
  /** Lines that nobody has read yet, besides those that the pipe holds. */
  static final int MOST_LINES = 10_000;
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  private final PrintWriter out;
  private final Thread writer;
  /** Empty for the end. */
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>(MOST_LINES);

  /** Writes there from now on. */
  public LauncherPipe(PrintWriter out) {
    this.out = out;
    this.writer = Thread.ofPlatform().daemon().name("scr-launcher").start(this::write);
  }

  /** Tells a line. In memory. */
  public void tell(String line) {
    while (!lines.offer(Optional.of(line))) {
      lines.poll();
    }
  }

  private void write() {
    try {
      for (Optional<String> line = lines.take(); line.isPresent(); line = lines.take()) {
        out.println(line.get());
        out.flush();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Nothing more is told. Waits until all is written, for two seconds at most. */
  public void close() {
    close(LAST_WORDS);
  }

  void close(Duration most) {
    try {
      if (lines.offer(Optional.empty(), most.toMillis(), TimeUnit.MILLISECONDS)) {
        writer.join(most);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
