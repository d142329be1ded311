package io.vertxscr.demo;

import io.vertxscr.demo.RankLauncher.End;
import io.vertxscr.demo.RankLauncher.Running;
import io.vertxscr.examples.heat.HeatEvent.Checkpointed;
import io.vertxscr.examples.heat.HeatEvent.Finished;
import io.vertxscr.examples.heat.HeatEvent.Started;
import io.vertxscr.examples.heat.HeatEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run of all ranks, seen from outside: what its ranks have told so far, and how they ended. Events and ends come
 * from the ranks' threads; one other thread waits, and closes the run: remaining ranks are killed then.
 */
final class DemoRun implements Consumer<HeatEvent>, AutoCloseable {
  private static final int STOP_SECONDS = 10;

  private final int ranks;
  private final DemoProgress progress;
  private final List<Started> started = new ArrayList<>();
  private final SortedMap<Integer, List<Checkpointed>> checkpoints = new TreeMap<>();
  private final List<Finished> finished = new ArrayList<>();
  private final List<End> ends = new ArrayList<>();
  private final List<Running> running = new ArrayList<>();
  private long finishedNanos;
  private long endedNanos;

  DemoRun(int ranks, DemoProgress progress) {
    this.ranks = ranks;
    this.progress = progress;
  }

  /** All ranks told something; times are those of the slowest. */
  record Together(int step, long bytes, double seconds) {}

  /** Adds the next rank. */
  void add(Running rank) {
    running.add(rank);
    rank.ended().thenAccept(this::end);
  }

  void kill(int rank) {
    running.get(rank).kill();
  }

  @Override
  public void close() {
    running.forEach(Running::kill);
    CompletableFuture<?>[] all = running.stream().map(Running::ended).toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(all).completeOnTimeout(null, STOP_SECONDS, TimeUnit.SECONDS).join();
  }

  private synchronized void end(End end) {
    ends.add(end);
    endedNanos = System.nanoTime();
    notifyAll();
  }

  @Override
  public synchronized void accept(HeatEvent event) {
    switch (event) {
      case Started s -> {
        started.add(s);
        if (started.size() == ranks && s.step() > 0) {
          progress.line("restarted from checkpoint heat." + s.step());
        }
      }
      case Checkpointed c -> {
        List<Checkpointed> told = checkpoints.computeIfAbsent(c.step(), _ -> new ArrayList<>());
        told.add(c);
        if (told.size() == ranks) {
          Together all = together(told);
          progress.line(String.format(Locale.ROOT, "checkpoint heat.%d protected: %.1f MB in %.0f ms",
              all.step(), all.bytes() / 1e6, all.seconds() * 1e3));
        }
      }
      case Finished f -> {
        finished.add(f);
        finishedNanos = System.nanoTime();
      }
    }
    notifyAll();
  }

  /**
   * Waits until the checkpoint of this step is complete on all ranks.
   *
   * @throws DemoException where a rank ended before
   */
  synchronized void awaitCheckpoint(int step, long timeoutMs) throws DemoException {
    long endNanos = System.nanoTime() + timeoutMs * 1_000_000;
    while (checkpoints.getOrDefault(step, List.of()).size() < ranks) {
      if (!ends.isEmpty()) {
        throw new DemoException("rank " + ends.getFirst().rank() + " ended before checkpoint heat." + step + ": "
            + ends.getFirst().failure().orElse("without an error"));
      }
      await(endNanos, "checkpoint heat." + step);
    }
  }

  /** Waits until every rank has ended, successfully or not; returns the results. */
  synchronized List<End> awaitEnds(long timeoutMs) throws DemoException {
    long endNanos = System.nanoTime() + timeoutMs * 1_000_000;
    while (ends.size() < ranks) {
      await(endNanos, "the end of " + (ranks - ends.size()) + " of " + ranks + " ranks");
    }
    return List.copyOf(ends);
  }

  /** Describes the remaining work for the wait: known steps are those of checkpoints. */
  synchronized String state() {
    int step = complete().isEmpty() ? 0 : complete().getLast().step();
    return "the end of " + (ranks - ends.size()) + " of " + ranks + " ranks"
        + (step == 0 ? "" : ", step " + step + " is done");
  }

  private void await(long endNanos, String forWhat) throws DemoException {
    long leftMs = (endNanos - System.nanoTime()) / 1_000_000;
    if (leftMs <= 0) {
      throw new DemoException("waited too long for " + forWhat);
    }
    try {
      wait(leftMs);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted while waiting for " + forWhat);
    }
  }

  /** The step at which the ranks began, with the time until the slowest did. */
  synchronized Together start() throws DemoException {
    int step = started.isEmpty() ? -1 : started.getFirst().step();
    if (started.size() != ranks || started.stream().anyMatch(s -> s.step() != step)) {
      throw new DemoException("the ranks did not begin at one step: " + started);
    }
    return new Together(step, 0, started.stream().mapToLong(Started::nanos).max().orElseThrow() / 1e9);
  }

  /** The checkpoints that are complete on all ranks, ascending by step. */
  synchronized List<Together> complete() {
    return checkpoints.values().stream().filter(told -> told.size() == ranks).map(DemoRun::together).toList();
  }

  /** Seconds that the slowest rank spent in computing and exchanging halos. */
  synchronized double computeSeconds() {
    return finished.stream().mapToLong(Finished::nanos).max().orElse(0) / 1e9;
  }

  /** Seconds from the last rank's result to the last rank's end: in them the ranks leave the run. */
  synchronized double finalizeSeconds() {
    return finished.isEmpty() ? 0 : (endedNanos - finishedNanos) / 1e9;
  }

  private static Together together(List<Checkpointed> told) {
    long bytes = told.stream().mapToLong(Checkpointed::bytes).sum();
    double seconds = told.stream().mapToLong(Checkpointed::nanos).max().orElseThrow() / 1e9;
    return new Together(told.getFirst().step(), bytes, seconds);
  }
}
