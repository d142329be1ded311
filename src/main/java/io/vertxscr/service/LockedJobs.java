package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Runs blocking work that takes the lock of a prefix directory. It is run again, a little later, while somebody else
 * has the lock.
 *
 * <p>The wait is the loop's: no transfer thread is held meanwhile. The work is repeated from its beginning, so it must
 * be idempotent; backoff with jitter keeps two nodes from meeting again and again. On the node's loop.
 */
public final class LockedJobs {
  private static final int FIRST_PAUSE_MS = 10;
  private static final int LONGEST_PAUSE_MS = 160;
  /** Of work that is repeated later where it fails, or is done without. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Loop loop;
  private final String self;
  private final Duration patience;

  /** Runs the work of a node; tries a lock for 10 s. */
  public LockedJobs(Loop loop, String self) {
    this(loop, self, PATIENCE);
  }

  private LockedJobs(Loop loop, String self, Duration patience) {
    this.loop = loop;
    this.self = self;
    this.patience = patience;
  }

  /**
   * Returns the same with another patience.
   *
   * @param other how long the lock is tried for; then the work fails with BUSY, which names the holder
   */
  public LockedJobs with(Duration other) {
    return new LockedJobs(loop, self, other);
  }

  /** Who takes the lock, in this work only. */
  LockUser user() {
    return new LockUser("node " + self, loop.files(), loop.clock());
  }

  /** As {@link PrefixJobs#ask}. */
  public <T> Future<T> ask(Duration most, String what, Callable<T> question) {
    return repeated(() -> loop.prefix().ask(most, what, question));
  }

  /** As {@link PrefixJobs#run}. */
  public <T> Future<T> run(String what, Callable<T> work) {
    return repeated(() -> loop.prefix().run(what, work));
  }

  /** As {@link PrefixJobs#runLong}. */
  public <T> Future<T> runLong(String what, Callable<T> work) {
    return repeated(() -> loop.prefix().runLong(what, work));
  }

  /** As {@link Loop#patiently}. */
  public <T> Future<T> patiently(String what, Callable<T> work) {
    return repeated(() -> loop.patiently(what, work));
  }

  private <T> Future<T> repeated(Supplier<Future<T>> job) {
    return attempt(job, loop.nanoTime() + patience.toNanos(), FIRST_PAUSE_MS);
  }

  private <T> Future<T> attempt(Supplier<Future<T>> job, long deadlineNs, int pauseMs) {
    return job.get().recover(failure -> {
      if (!(failure instanceof LockHeldException held)) {
        return Future.failedFuture(failure);
      }
      if (loop.nanoTime() - deadlineNs >= 0) {
        return Future.failedFuture(held.busy(patience));
      }
      Promise<Void> paused = loop.promise();
      loop.after(pauseMs + loop.random().nextInt(pauseMs), paused::complete);
      return paused.future().compose(_ -> attempt(job, deadlineNs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS)));
    });
  }
}
