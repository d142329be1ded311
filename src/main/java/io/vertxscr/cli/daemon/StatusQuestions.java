package io.vertxscr.cli.daemon;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks daemons for their status, all at once, so that those that hang cost the patience for one. A daemon that still
 * owes an answer gets no second connection: it accepts none, and connecting would block when its queue is full.
 */
public final class StatusQuestions {
  private final Duration patience;
  private final Map<Path, FutureTask<JsonObject>> open = new HashMap<>();

  /** What came of one question: the answer, or why there is none. */
  public record StatusOutcome(Path daemon, Optional<JsonObject> answer, Optional<ScrException> failure) {
    /** Whether the daemon is there and says nothing. */
    public boolean hangs() {
      return failure.filter(e -> e.fault() == Fault.TIMEOUT).isPresent();
    }
  }

  /** @param patience how long all of them together may take to answer */
  public StatusQuestions(Duration patience) {
    this.patience = patience;
  }

  /** Returns the outcomes in the order of the daemons. Not for two threads at once. */
  public List<StatusOutcome> ask(List<Path> daemons) throws InterruptedException {
    long endNs = System.nanoTime() + patience.toNanos();
    for (Path daemon : daemons) {
      open.computeIfAbsent(daemon, StatusQuestions::begin);
    }
    List<StatusOutcome> outcomes = new ArrayList<>();
    for (Path daemon : daemons) {
      outcomes.add(outcome(daemon, open.get(daemon), endNs));
    }
    open.values().removeIf(FutureTask::isDone);
    return outcomes;
  }

  private static FutureTask<JsonObject> begin(Path daemon) {
    FutureTask<JsonObject> question =
        new FutureTask<>(() -> LocalDaemons.ask(daemon, ScrClient::status));
    Thread.ofPlatform().daemon().name("scr-status").start(question);
    return question;
  }

  private StatusOutcome outcome(Path daemon, FutureTask<JsonObject> question, long endNs) throws InterruptedException {
    try {
      JsonObject answer = question.get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
      return new StatusOutcome(daemon, Optional.of(answer), Optional.empty());
    } catch (TimeoutException e) {
      return new StatusOutcome(
          daemon, Optional.empty(), Optional.of(LocalDaemons.silent(daemon, patience.toSeconds(), e)));
    } catch (ExecutionException e) {
      return new StatusOutcome(daemon, Optional.empty(), Optional.of(e.getCause() instanceof ScrException known ? known
          : new ScrException(Fault.INTERNAL, "the daemon at " + daemon + ": " + e.getCause(), e)));
    }
  }
}
