package io.vertxscr.transfer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fixed number of platform threads with a bounded queue, for jobs that block on files and peers. Thread-safe.
 *
 * <p>Jobs start in the order of their submission. A job must not wait for another job of the same engine: with all
 * threads waiting so, none would be left to run what they wait for. Waiting for a peer is fine (see the package).
 *
 * <p>Futures complete on the engine's threads: what hangs on them must be short, or move elsewhere. Threads are never
 * interrupted, because that would close the channels they are using; running jobs end by themselves or by the end of
 * their connections.
 */
public final class TransferEngine implements AutoCloseable {
  /** Longest that {@link #close} waits for running jobs. */
  public static final int MAX_CLOSE_MS = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(TransferEngine.class);

  private final ThreadPoolExecutor executor;
  private final Set<Job<?>> jobs = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private volatile boolean draining;

  /**
   * With {@link Limits#MAX_QUEUED_TRANSFERS} and {@link #defaultThreads}.
   *
   * @param first what each thread does before its first job
   */
  public TransferEngine(String name, Runnable first) {
    this(name, defaultThreads(), Limits.MAX_QUEUED_TRANSFERS, first);
  }

  /** @param maxQueued jobs that may wait for a thread; more are refused with BUSY */
  public TransferEngine(String name, int threads, int maxQueued) {
    this(name, threads, maxQueued, () -> {});
  }

  /** Creates an engine; {@code first} runs on each thread before its first job. */
  public TransferEngine(String name, int threads, int maxQueued, Runnable first) {
    AtomicInteger number = new AtomicInteger();
    executor = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(maxQueued),
        work -> Thread.ofPlatform().daemon().name(name + "-transfer-" + number.incrementAndGet()).unstarted(() -> {
          first.run();
          work.run();
        }));
  }

  /** Default number of threads: that of the processors, within 2 to 4. More would only compete for memory bandwidth. */
  public static int defaultThreads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 4);
  }

  /**
   * Runs a job as soon as a thread is free. A future that is cancelled before that keeps its job from starting.
   *
   * @param what for the log and {@link #active}: what is done, with its rank and dataset
   * @return fails with what the job throws; with BUSY if the queue is full and STOPPING after {@link #drain}, nothing
   *     having been done
   */
  public <T> CompletableFuture<T> submit(String what, Callable<T> job) {
    Job<T> submitted = new Job<>(Objects.requireNonNull(what), Objects.requireNonNull(job));
    jobs.add(submitted);
    try {
      if (draining) {
        submitted.refuseStopping();
      } else {
        executor.execute(submitted);
      }
    } catch (RejectedExecutionException _) {
      if (draining) {                           // close() came between
        submitted.refuseStopping();
      } else {
        submitted.refuse(Fault.BUSY, executor.getQueue().size() + " transfers are waiting: not started: " + what);
      }
    }
    return submitted.result;
  }

  /** Refuses new jobs. The future completes when all that were submitted before have ended. */
  public CompletableFuture<Void> drain() {
    draining = true;
    completeIfDrained();
    return drained.copy();
  }

  /** Returns waiting and running jobs, unordered. */
  public List<String> active() {
    List<String> active = new ArrayList<>();
    jobs.forEach(job -> active.add(job.what));
    return active;
  }

  /** Fails what waits with STOPPING and waits for what runs, {@link #MAX_CLOSE_MS} at most. */
  @Override
  public void close() {
    drain();
    executor.shutdown();                        // interrupts idle threads only
    List<Runnable> waiting = new ArrayList<>();
    executor.getQueue().drainTo(waiting);
    waiting.forEach(job -> ((Job<?>) job).refuseStopping());
    try {
      if (!executor.awaitTermination(MAX_CLOSE_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("these transfers do not end, and are left behind: {}", active());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void completeIfDrained() {
    if (draining && jobs.isEmpty()) {
      drained.complete(null);
    }
  }

  /** One submission. */
  private final class Job<T> implements Runnable {
    private final String what;
    private final Callable<T> call;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    Job(String what, Callable<T> call) {
      this.what = what;
      this.call = call;
    }

    @Override
    public void run() {
      if (result.isDone()) {
        end();
        return;
      }
      T value = null;
      Exception failure = null;
      boolean ended = false;
      try {
        value = call.call();
        ended = true;
      } catch (Exception e) {
        failure = e;
        ended = true;
      } finally {                               // also on an Error, which goes on to end this thread, loudly
        end();
        complete(value, ended ? failure : new IllegalStateException("the transfer's thread died: " + what));
      }
    }

    void refuseStopping() {
      refuse(Fault.STOPPING, "this node is stopping: not started: " + what);
    }

    void refuse(Fault fault, String message) {
      end();
      result.completeExceptionally(new ScrException(fault, message));
    }

    private void end() {
      jobs.remove(this);
      completeIfDrained();
    }

    private void complete(T value, Exception failure) {
      if (failure == null) {
        result.complete(value);
      } else {
        result.completeExceptionally(failure);
      }
    }
  }
}
