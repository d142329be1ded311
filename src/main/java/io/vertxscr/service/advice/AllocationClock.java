package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertxscr.config.AllocationEnd;
import io.vertxscr.service.Loop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When the allocation ends: as configured, else as its batch system says when it is asked, once. Nobody waits longer
 * than some seconds for the answer; without one the end is not known. On the node's loop.
 */
final class AllocationClock {
  private static final Logger LOG = LoggerFactory.getLogger(AllocationClock.class);
  private static final int PATIENCE_S = 5;

  private final Loop loop;
  private final LongSupplier clockSeconds;
  private final Map<String, String> environment;
  private OptionalLong endSeconds;
  private Future<Void> asked;

  AllocationClock(Loop loop, OptionalLong configured, LongSupplier clockSeconds) {
    this.loop = loop;
    this.endSeconds = configured;
    this.clockSeconds = clockSeconds;
    this.environment = System.getenv();
  }

  /** Seconds since 1970; empty if unknown. */
  OptionalLong endSeconds() {
    return endSeconds;
  }

  /** Finds out; completes well in any case. */
  Future<Void> ask() {
    if (asked == null) {
      Optional<List<String>> question = endSeconds.isPresent() ? Optional.empty() : AllocationEnd.question(environment);
      asked = question.isEmpty() ? Future.succeededFuture() : loop.blocking("ask the batch system",
          () -> answer(question.get())).map(end -> {
            endSeconds = end;
            return (Void) null;
          }).otherwise(failure -> {
            LOG.warn("the end of the allocation is not known: {}", failure.getMessage());
            return null;
          });
    }
    return asked;
  }

  private OptionalLong answer(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        throw new IOException(String.join(" ", command) + " does not end");
      }
      String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return AllocationEnd.answer(command, answer, clockSeconds.getAsLong(), ZoneId.systemDefault());
    } finally {
      process.destroyForcibly();
    }
  }
}
