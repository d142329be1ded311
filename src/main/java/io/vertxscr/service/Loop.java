package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The event loop of a node: order, time, chance, files and the way to threads that may block.
 *
 * <p>All control of a node runs on it. Services keep their state without locks because they are entered through
 * {@link #call} only. They take all of that from here and from nowhere else, so a test that owns the loop
 * owns all of it, and replays.
 */
public interface Loop {
  /** Runs the action on the loop. What it throws becomes a failed future. */
  <T> Future<T> call(Supplier<Future<T>> action);

  /** Runs the action on the loop, later if called on it; in the order of the calls. */
  void later(Runnable action);

  /**
   * Runs blocking work on a transfer thread; the future completes on the loop. Not for prefix directories.
   *
   * @param what names it, for its diagnosis
   */
  <T> Future<T> blocking(String what, Callable<T> work);

  /** Runs {@link #blocking} work that moves many bytes from or to a prefix directory, on threads of its own. */
  <T> Future<T> patiently(String what, Callable<T> work);

  /** Runs blocking work on caches that no phase waits for, on threads that yield to all others. */
  <T> Future<T> quietly(String what, Callable<T> work);

  /** Runs a short job that must not wait for any other blocking work. It has a thread of its own. */
  <T> Future<T> aside(String what, Callable<T> work);

  /** All other operations on prefix directories: they block on no thread that a cache needs. */
  PrefixJobs prefix();

  /** Runs the action on the loop after a delay; returns an id for {@link #cancel}. */
  long after(long delayMs, Runnable action);

  /** Forgets an action of {@link #after}; has no effect on one that has run. */
  void cancel(long timer);

  /** A promise whose future completes on the loop. */
  <T> Promise<T> promise();

  /** Monotonic time in nanoseconds from any origin; any thread. */
  long nanoTime();

  /** Nanoseconds of processor time of this process so far, divided by the processors of the node. */
  long processorNs();

  /** Chance: for what is to differ between nodes or attempts, never for secrets. On the loop. */
  RandomGenerator random();

  /** The files of the machine, and what this process has locked of them; any thread. */
  LocalFiles files();

  /** Wall clock, for what people and other programs read; any thread. */
  Clock clock();

  /** The spans of the node. */
  default Traces traces() {
    return Traces.OFF;
  }
}
