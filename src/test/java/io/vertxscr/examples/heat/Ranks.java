package io.vertxscr.examples.heat;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Runs all ranks of a problem as threads, and waits for their ends. */
final class Ranks {
  private final Path directory;
  private final AtomicInteger runs = new AtomicInteger();
  private final List<Integer> starts = new CopyOnWriteArrayList<>();

  Ranks(Path directory) {
    this.directory = directory;
  }

  /** One run; returns why each rank failed, null for those that did not. */
  List<Exception> run(HeatProblem problem, int ranks, IntFunction<Checkpointing> clients) throws Exception {
    int number = runs.incrementAndGet();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      List<Future<Exception>> ends = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        HeatOptions options = new HeatOptions(rank, ranks, problem, "127.0.0.1",
            directory.resolve("rendezvous" + number), output(number), 10_000);
        Checkpointing client = clients.apply(rank);
        ends.add(threads.submit(() -> runOne(options, client)));
      }
      List<Exception> failures = new ArrayList<>();
      for (Future<Exception> end : ends) {
        failures.add(end.get(20, TimeUnit.SECONDS));
      }
      return failures;
    }
  }

  /** One run that must come to its end; returns the digest of the final field. */
  String digest(HeatProblem problem, int ranks, IntFunction<Checkpointing> clients) throws Exception {
    for (Exception failure : run(problem, ranks, clients)) {
      if (failure != null) {
        throw failure;
      }
    }
    return FinalField.open(output(runs.get()), problem.size()).digest();
  }

  Path output(int run) {
    return directory.resolve("output" + run);
  }

  /** The steps at which ranks began, of all runs so far. */
  List<Integer> starts() {
    return List.copyOf(starts);
  }

  private void hear(HeatEvent event) {
    if (event instanceof HeatEvent.Started started) {
      starts.add(started.step());
    }
  }

  private Exception runOne(HeatOptions options, Checkpointing client) {
    try (client) {
      new HeatRank(options, client, this::hear).run();
      return null;
    } catch (IOException | ScrException e) {
      return e;
    }
  }
}
