package io.vertxscr.scavenge;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.PieceBuffers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Parallel work on many items by a few platform threads. There are as many as processors, at least 2, because some
 * always wait for a disk. The first failure ends it.
 */
public final class Workers {
  /** Number of threads, if there are as many items. */
  static final int THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());
  /** Two of them fit into a core's cache beside the input: sums are written while they are still cached. */
  private static final int PIECE_BYTES = Limits.MIN_PIECE_BYTES;

  private static final ScopedValue<Boolean> ALONE = ScopedValue.newInstance();

  private Workers() {}

  /** Runs what uses workers with the calling thread alone: for files that only one thread may use. */
  public static void alone(Runnable work) {
    ScopedValue.where(ALONE, true).run(work);
  }

  /** The results in the order of the items. @throws ScrException what the work throws; other threads have ended then */
  static <T, R> List<R> map(List<T> items, Function<T, R> work) {
    if (ALONE.isBound()) {
      return items.stream().map(work).toList();
    }
    Object[] results = new Object[items.size()];
    AtomicInteger next = new AtomicInteger();
    AtomicBoolean failed = new AtomicBoolean();
    int threads = Math.min(items.size(), THREADS);
    if (threads == 0) {
      return List.of();
    }
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads,
        Thread.ofPlatform().daemon().name("scr-worker-", 1).factory())) {
      for (int t = 0; t < threads; t++) {
        running.add(executor.submit(() -> {
          PieceBuffers.ofThisThread(PIECE_BYTES);
          boolean good = false;
          try {
            for (int i = next.getAndIncrement(); i < results.length && !failed.get(); i = next.getAndIncrement()) {
              results[i] = work.apply(items.get(i));
            }
            good = true;
          } finally {
            failed.compareAndSet(false, !good);
          }
        }));
      }
    }
    running.forEach(Workers::check);
    @SuppressWarnings("unchecked")
    List<R> typed = (List<R>) Arrays.asList(results);
    return typed;
  }

  /** Work without results. @throws ScrException what it throws; other threads have ended then */
  static void each(List<Runnable> work) {
    map(work, one -> {
      one.run();
      return one;
    });
  }

  private static void check(Future<?> ended) {
    try {
      ended.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted", e);
    }
  }
}
