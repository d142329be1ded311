package io.vertxscr.cli.drill;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.daemon.EventReader;
import io.vertxscr.cli.daemon.SocketOption;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The course of a drill on a run that is not its own. It waits for a protected checkpoint, has nodes killed by a
 * command of the user, and looks on while those recover the run whose business that is.
 */
final class LiveDrill {
  private static final long POLL_MS = 250;
  private static final ProcessBuilder.Redirect NOTHING = ProcessBuilder.Redirect.from(new File("/dev/null"));

  private final LivePlan plan;
  private final SocketOption socket;
  private final Map<String, String> environment;
  private final long patienceNanos;
  private final Consumer<String> progress;
  private final EventReader events;
  private final LiveCourse course;

  /** @param patienceMs longest wait for each part of the drill */
  LiveDrill(LivePlan plan, SocketOption socket, Map<String, String> environment, long patienceMs,
      Consumer<String> progress) {
    this.plan = plan;
    this.socket = socket;
    this.environment = environment;
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMs);
    this.progress = progress;
    events = new EventReader(socket, environment);
    course = new LiveCourse(plan);
  }

  LiveOutcome run() throws IOException, InterruptedException {
    Optional<String> failure = Optional.empty();
    try {
      untilCheckpoint();
      strike();
      untilRestart();
      untilEnd();
    } catch (DrillException | ScrException e) {
      failure = Optional.of(e.getMessage());
    }
    return course.outcome(failure);
  }

  private void untilCheckpoint() throws IOException, InterruptedException, DrillException {
    long now = System.nanoTime();
    events.last(Limits.MAX_EVENTS).forEach(event -> course.hear(event, now));
    for (Object one : datasets()) {
      JsonObject dataset = (JsonObject) one;
      if (dataset.getBoolean("checkpoint") && dataset.getString("state").equals("FULL")
          && dataset.getString("prefix").equals(plan.run().prefix())) {
        course.found(dataset.getInteger("dataset"));
      }
    }
    progress.accept("waiting for a protected checkpoint");
    await("a protected checkpoint", () -> course.checkpoint() > 0);
  }

  private void strike() throws IOException, InterruptedException, DrillException {
    course.strike(System.nanoTime(), System.currentTimeMillis());
    List<Process> started = new ArrayList<>();
    for (String victim : plan.victims()) {
      String command = plan.commandFor(victim);
      progress.accept("killing " + victim + ": " + command);
      started.add(new ProcessBuilder("sh", "-c", command).redirectInput(NOTHING)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }
    for (Process process : started) {
      if (!process.waitFor(patienceNanos, TimeUnit.NANOSECONDS)) {
        process.destroy();
        throw new DrillException("the command of --kill-command does not end");
      }
      if (process.exitValue() != 0) {
        throw new DrillException("the command of --kill-command ended with exit code " + process.exitValue());
      }
    }
  }

  private void untilRestart() throws IOException, InterruptedException, DrillException {
    await("the daemons to tell of the loss", () -> course.has(LiveMilestone.OVER));
    progress.accept("the run is over; waiting for its restart, which is not the drill's business");
    await("the program to be started again", () -> course.has(LiveMilestone.BEGUN));
    progress.accept("restarted from dataset " + course.restored());
    await("all ranks to read the checkpoint", () -> course.has(LiveMilestone.READ));
  }

  private void untilEnd() throws IOException, InterruptedException, DrillException {
    progress.accept("all ranks have read it; the caches are read now, too");
    List<String> holders = LiveCourse.holders(datasets(), course.restored());
    if (!holders.isEmpty()) {
      socket.askAny(environment, client -> client.scrub(true, false));
    }
    course.scrubs(holders);
    await("the next checkpoint", () -> course.has(LiveMilestone.PROTECTED));
    await("all bytes to be read", course::isVerified);
  }

  private JsonArray datasets() throws IOException, InterruptedException {
    return socket.askAny(environment, ScrClient::status).getJsonObject("cluster").getJsonArray("datasets");
  }

  private void await(String what, BooleanSupplier condition)
      throws IOException, InterruptedException, DrillException {
    long endNanos = System.nanoTime() + patienceNanos;
    while (!condition.getAsBoolean() && !course.isDone()) {
      if (System.nanoTime() - endNanos >= 0) {
        throw new DrillException("waited " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos) + " s without success for "
            + what);
      }
      Thread.sleep(POLL_MS);                              // polls daemons, for somebody who looks on
      listen();
    }
    if (course.failure().isPresent()) {
      throw new DrillException(course.failure().get());
    }
  }

  /** The daemon that is asked may be the one that was killed, and another one not be there yet. */
  private void listen() throws IOException, InterruptedException {
    try {
      List<JsonObject> news = events.next();
      long now = System.nanoTime();
      boolean known = course.has(LiveMilestone.VERIFIED);
      news.forEach(event -> course.hear(event, now));
      if (!known && course.has(LiveMilestone.VERIFIED)) {
        progress.accept("every byte is as it was written; waiting for the next checkpoint");
      }
      if (course.has(LiveMilestone.PROTECTED) && !course.isVerified()) {
        course.holds(LiveCourse.holders(datasets(), course.restored()));
      }
    } catch (ScrException _) {
      progress.accept("no daemon answers");
    }
  }
}
