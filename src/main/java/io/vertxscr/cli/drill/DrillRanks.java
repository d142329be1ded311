package io.vertxscr.cli.drill;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;

/** The ranks of one run, as processes. Used by one thread; what they tell goes to the queue. */
final class DrillRanks implements AutoCloseable {
  private final int run;
  private final BlockingQueue<DrillSignal> signals;
  private final Map<Integer, Process> processes = new TreeMap<>();

  DrillRanks(int run, BlockingQueue<DrillSignal> signals) {
    this.run = run;
    this.signals = signals;
  }

  /** Starts one without waiting. @param environment all of it */
  void start(int rank, List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      processes.put(rank, process);
      Thread.ofPlatform().name("drill-rank-" + rank).daemon().start(() -> follow(rank, process));
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "rank " + rank + " cannot be started: " + ScrException.reason(e), e);
    }
  }

  private void follow(int rank, Process process) {
    String last = "";
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Optional<DrillNews> news = DrillNews.parse(line);
        news.ifPresent(one -> signals.add(new DrillSignal.OfRank(run, one, System.nanoTime())));
        last = news.isPresent() || line.isBlank() ? last : line;
      }
    } catch (IOException | UncheckedIOException _) {
      // A kill closes the output.
    }
    int exit = process.onExit().join().exitValue();
    signals.add(new DrillSignal.RankEnded(run, rank, exit, last, System.nanoTime()));
  }

  /** SIGKILL; all are dead when this returns. */
  void kill(Collection<Integer> ranks) {
    List<Process> dying = ranks.stream().map(processes::get).toList();
    dying.forEach(Process::destroyForcibly);
    dying.forEach(process -> process.onExit().join());
  }

  /** Kills all that are left. */
  @Override
  public void close() {
    kill(processes.keySet());
  }
}
