package io.vertxscr.load;

import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Ranks of a run: threads of this process, each with its own connection to the daemon of its node. What they use of the
 * CPU is not counted, as the daemons alone are measured; it is theirs in the wall time.
 */
final class Ranks implements AutoCloseable {
  private final ExecutorService threads;
  private final List<Scr> ranks = new ArrayList<>();
  private final double initSeconds;

  /** Work of a rank. */
  interface Work {
    void run(Scr scr) throws Exception;
  }

  private Ranks(Daemons daemons, Path prefix) throws Exception {
    int count = daemons.setup().ranks();
    threads = Executors.newFixedThreadPool(count, task -> {
      Thread thread = new Thread(task, "rank");
      thread.setDaemon(true);
      return thread;
    });
    CyclicBarrier together = new CyclicBarrier(count + 1);
    List<Future<Scr>> opening = new ArrayList<>();
    for (int rank = 0; rank < count; rank++) {
      ScrOptions options = new ScrOptions(daemons.socketOf(rank), rank, count, prefix, "load");
      opening.add(threads.submit(() -> {
        together.await();
        return Scr.open(options);
      }));
    }
    together.await();
    long begin = System.nanoTime();
    for (Future<Scr> rank : opening) {
      ranks.add(got(rank));
    }
    initSeconds = (System.nanoTime() - begin) / 1e9;
  }

  /** Joins all ranks to a new run. */
  static Ranks open(Daemons daemons, Path prefix) throws Exception {
    return new Ranks(daemons, prefix);
  }

  /** Number of ranks. */
  int count() {
    return ranks.size();
  }

  /** From the moment in which all ranks called init to the last answer. */
  double initSeconds() {
    return initSeconds;
  }

  /** Runs it on all ranks at once, and returns the time from the common begin to the last end. */
  double all(Work work) throws Exception {
    CyclicBarrier together = new CyclicBarrier(ranks.size() + 1);
    List<Future<Void>> running = ranks.stream().map(scr -> threads.<Void>submit(() -> {
      together.await();
      work.run(scr);
      return null;
    })).toList();
    together.await();
    long begin = System.nanoTime();
    for (Future<Void> rank : running) {
      got(rank);
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private static <T> T got(Future<T> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Closes the connections, which ends an unfinished run. */
  @Override
  public void close() {
    ranks.forEach(Scr::close);
    threads.shutdownNow();
  }
}
