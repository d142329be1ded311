package io.vertxscr.cli.launch;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A job with the scavenge of its caches after it. It is stopped when this process is asked to end.
 *
 * @param scavenging empty where the datasets are to stay in the caches
 */
record SupervisedJob(LaunchedJob job, Optional<Scavenging> scavenging, PrintWriter err) {
  private static final long LAST_MOMENTS_S = 300;

  /** Runs it to its end. @return the exit code */
  int run() throws IOException, InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Thread hook = new Thread(() -> {
      job.stop("asked to end: the program is stopped");
      await(done);
    }, "scr-run-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      LaunchedJob.JobOutcome outcome = job.run();
      // where something is only in the caches, it is tried: the prefix directory may answer again
      Optional<String> hang = outcome.unanswered()
          .filter(_ -> scavenging.isPresent() && outcome.cachedOnly().isEmpty());
      hang.ifPresent(what -> err.println("scr run: the caches are not scavenged: " + what));
      OptionalInt scavenged = scavenging.isEmpty() || hang.isPresent() ? OptionalInt.empty()
          : OptionalInt.of(scavenging.get().run(outcome.up(), err));
      outcome.leftInCaches(scavenged).ifPresent(those -> err.println("scr run: " + those));
      return outcome.exitAfter(scavenged);
    } finally {
      done.countDown();
      remove(hook);
    }
  }

  private static void await(CountDownLatch done) {
    try {
      done.await(LAST_MOMENTS_S, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // It is running: the process is ending.
    }
  }
}
