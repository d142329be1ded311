package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.concurrent.TimeUnit;

/** The way to the prefix directory. */
final class FlushMetrics implements Observer {
  private final Counter started;
  private final Timer done;
  private final Timer givenUp;
  private final Counter bytes;
  private final Counter deleted;
  private final FaultCounters failures;

  FlushMetrics(MeterRegistry registry) {
    started = Counter.builder("scr_flush_started").description("datasets on their way to the prefix directory")
        .register(registry);
    done = flush(registry, "done");
    givenUp = flush(registry, "given_up");
    bytes = Counter.builder("scr_flush_bytes").baseUnit("bytes").description("files that reached the prefix directory")
        .register(registry);
    deleted = Counter.builder("scr_prefix_deleted_datasets")
        .description("datasets deleted from the prefix directory by SCR_PREFIX_SIZE and SCR_PREFIX_PURGE")
        .register(registry);
    failures = new FaultCounters(registry, "scr_flush_failures", "attempts that failed");
  }

  private static Timer flush(MeterRegistry registry, String outcome) {
    return Timer.builder("scr_flush").description("from the wish to its end, with all attempts")
        .tag("outcome", outcome).register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.FlushStarted _ -> started.increment();
      case Event.FlushDone flushed -> {
        done.record(flushed.flushUs(), TimeUnit.MICROSECONDS);
        bytes.increment(flushed.bytes());
      }
      case Event.FlushFailed failed -> failures.count(failed.fault());
      case Event.FlushGivenUp lost -> givenUp.record(lost.flushUs(), TimeUnit.MICROSECONDS);
      case Event.PrefixDeleted _ -> deleted.increment();
      default -> {
        // Others count that.
      }
    }
  }
}
