package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillNews.Topic;
import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code scr drill-rank}: one rank of the drill's program. It ends with its standard input, which is a pipe of the
 * drill: however that ends, no rank is left.
 */
@Command(name = DrillRankCommand.NAME, hidden = true, description = "One rank of scr drill.")
final class DrillRankCommand implements Callable<Integer> {
  static final String NAME = "drill-rank";
  private static final int ENDED_BY_PIPE = 4;
  private static final String DATASET = "drill.";

  @Option(names = "--socket", required = true, description = "Unix socket of its node.")
  private Path socket;

  @Option(names = "--prefix", required = true, description = "Prefix directory.")
  private Path prefix;

  @Option(names = "--rank", required = true, description = "From 0.")
  private int rank;

  @Option(names = "--ranks", required = true, description = "Size of the run.")
  private int ranks;

  @Option(names = "--seed", required = true, description = "Of all bytes.")
  private long seed;

  @Option(names = "--bytes", required = true, description = "Of its file, besides the header.")
  private long bytes;

  @Option(names = "--every", required = true, description = "DrillSteps between checkpoints.")
  private int every;

  @Option(names = "--step-ms", required = true, description = "Length of a step.")
  private int stepMs;

  @Option(names = "--until", required = true, description = "The last step.")
  private int until;

  @Option(names = "--restart", description = "There must be a checkpoint.")
  private boolean mustRestart;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Thread.ofPlatform().daemon().name("drill-pipe").start(DrillRankCommand::endWithPipe);
    try (Scr scr = Scr.open(new ScrOptions(socket, rank, ranks, prefix, "drill"))) {
      say(Topic.JOINED, 0, "");
      int step = restart(scr);
      if (step < 0) {
        return 1;
      }
      while (step < until) {
        Thread.sleep(stepMs);                             // the program computes
        step++;
        say(Topic.STEP, step, "");
        if (step % every == 0) {
          checkpoint(scr, step);
        }
      }
      scr.finish();
      return 0;
    }
  }

  private static void endWithPipe() {
    try {
      while (System.in.read() >= 0) {
        // Nobody writes anything.
      }
    } catch (IOException _) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(ENDED_BY_PIPE);
  }

  /** The step of the checkpoint, 0 for a run without; -1 where it is not as it must be. */
  private int restart(Scr scr) throws IOException {
    Optional<Restart> offered = scr.restart();
    if (offered.isEmpty()) {
      if (mustRestart) {
        say(Topic.ANEW, 0, "");
        return -1;
      }
      return 0;
    }
    try (Restart restart = offered.get()) {
      int step = step(restart.name());
      DrillBytes expected = new DrillBytes(seed, rank, step, bytes);
      Optional<String> difference = expected.difference(
          restart.route(prefix.resolve(expected.name()).toString()));
      if (difference.isPresent()) {
        say(Topic.DIFFERS, step, difference.get());
      }
      restart.complete(difference.isEmpty());
      say(Topic.VERIFIED, step, "");
      return step;
    }
  }

  private static int step(String dataset) {
    try {
      return Integer.parseInt(dataset.substring(DATASET.length()));
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new ScrException(Fault.BAD_REQUEST, "dataset '" + dataset + "' is none of a drill", e);
    }
  }

  private void checkpoint(Scr scr, int step) throws IOException {
    DrillBytes file = new DrillBytes(seed, rank, step, bytes);
    say(Topic.BEGINS, step, "");
    try (Output checkpoint = scr.startCheckpoint(file.dataset())) {
      file.write(checkpoint.route(prefix.resolve(file.name()).toString()));
      checkpoint.complete(true);
    }
    say(Topic.PROTECTED, step, "");
  }

  private void say(Topic topic, int step, String text) {
    System.out.println(new DrillNews(topic, rank, step, text).line());
    System.out.flush();
  }
}
