package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.AllocationEnd;
import io.vertxscr.service.Loop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When the allocation ends: as configured, else as its batch system says when it is asked, once. Nobody waits longer
 * than some seconds for the answer; without one the end is not known. On the node's loop.
 */
final class AllocationClock {
  private static final Logger LOG = LoggerFactory.getLogger(AllocationClock.class);
  private static final long PATIENCE_MS = 5000;

  private final Loop loop;
  private final LongSupplier clockSeconds;
  private final Optional<List<String>> question;
  private final long patienceMs;
  private OptionalLong endSeconds;
  private Future<Void> asked;

  AllocationClock(Loop loop, OptionalLong configured, LongSupplier clockSeconds) {
    this(loop, clockSeconds,
        configured.isPresent() ? Optional.empty() : AllocationEnd.question(System.getenv()), PATIENCE_MS);
    this.endSeconds = configured;
  }

  /** @param question the command that asks the batch system */
  AllocationClock(Loop loop, LongSupplier clockSeconds, Optional<List<String>> question, long patienceMs) {
    this.loop = loop;
    this.clockSeconds = clockSeconds;
    this.question = question;
    this.patienceMs = patienceMs;
    this.endSeconds = OptionalLong.empty();
  }

  /** Seconds since 1970; empty if unknown. */
  OptionalLong endSeconds() {
    return endSeconds;
  }

  /** Finds out; completes well in any case. */
  Future<Void> ask() {
    if (asked == null) {
      asked = question.isEmpty() ? Future.succeededFuture() : answer(question.get()).map(end -> {
        endSeconds = end;
        return (Void) null;
      }).otherwise(failure -> {
        LOG.warn("the end of the allocation is not known: {}", failure.getMessage());
        return null;
      });
    }
    return asked;
  }

  private Future<OptionalLong> answer(List<String> command) {
    return loop.blocking("ask the batch system", () -> {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      return process;
    }).compose(process -> ended(process, command)
        .compose(_ -> loop.blocking("read the answer of the batch system", () -> AllocationEnd.answer(command,
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8), clockSeconds.getAsLong(),
            ZoneId.systemDefault())))
        .onComplete(_ -> process.destroyForcibly()));
  }

  private Future<Void> ended(Process process, List<String> command) {
    Promise<Void> ended = loop.promise();
    process.onExit().thenRun(() -> loop.later(ended::tryComplete));
    long timer = loop.after(patienceMs,
        () -> ended.tryFail(new IOException(String.join(" ", command) + " does not end")));
    return ended.future().onComplete(_ -> loop.cancel(timer));
  }
}
