package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertxscr.service.Event.CopyProgress;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The way to the prefix directory. */
final class FlushMetrics implements Observer {
  private final Counter started;
  private final Timer done;
  private final Timer givenUp;
  private final Counter bytes;
  private final Counter deleted;
  private final Counter scavenges;
  private final Counter scavenged;
  private final FaultCounters failures;
  private final Map<Integer, CopyProgress> underWay = new ConcurrentHashMap<>();

  FlushMetrics(MeterRegistry registry) {
    Gauge.builder("scr_flush_under_way_bytes", () -> sum(CopyProgress::totalBytes)).strongReference(true)
        .description("bytes of the flushes in progress, copied or not").register(registry);
    Gauge.builder("scr_flush_copied_bytes", () -> sum(CopyProgress::doneBytes)).strongReference(true)
        .description("of these, copied bytes").register(registry);
    Gauge.builder("scr_flush_remaining_seconds", this::remainingSeconds).strongReference(true)
        .description("remaining time of the flushes in progress, at the rate of the last seconds").register(registry);

    started = Counter.builder("scr_flush_started").description("flushes started")
        .register(registry);
    done = flush(registry, "done");
    givenUp = flush(registry, "given_up");
    bytes = Counter.builder("scr_flush_bytes").baseUnit("bytes").description("bytes flushed to the prefix directory")
        .register(registry);
    deleted = Counter.builder("scr_prefix_deleted_datasets")
        .description("datasets deleted from the prefix directory by SCR_PREFIX_SIZE and SCR_PREFIX_PURGE")
        .register(registry);
    scavenges = Counter.builder("scr_scavenge_started")
        .description("checkpoints of ended runs that the daemons started to flush").register(registry);
    scavenged = Counter.builder("scr_scavenge_done").description("of these, completed")
        .register(registry);
    failures = new FaultCounters(registry, "scr_flush_failures", "attempts that failed");
  }

  private static Timer flush(MeterRegistry registry, String outcome) {
    return Timer.builder("scr_flush").description("from request to end, with all attempts")
        .tag("outcome", outcome).register(registry);
  }

  private long sum(ToLongFunction<CopyProgress> bytes) {
    return underWay.values().stream().mapToLong(bytes).sum();
  }

  private double remainingSeconds() {
    return underWay.values().stream().mapToLong(copied -> copied.remainingMs().orElse(0)).max().orElse(0) / 1e3;
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.FlushStarted _ -> started.increment();
      case Event.FlushProgress(int dataset, int _, CopyProgress copied) -> underWay.put(dataset, copied);
      case Event.FlushDone flushed -> {
        underWay.remove(flushed.dataset());
        done.record(flushed.flushUs(), TimeUnit.MICROSECONDS);
        bytes.increment(flushed.bytes());
      }
      case Event.FlushFailed failed -> failures.count(failed.fault());
      case Event.FlushGivenUp lost -> {
        underWay.remove(lost.dataset());
        givenUp.record(lost.flushUs(), TimeUnit.MICROSECONDS);
      }
      case Event.ScavengeStarted _ -> scavenges.increment();
      case Event.ScavengeEnded end when end.cause().isEmpty() -> scavenged.increment();
      case Event.PrefixDeleted _ -> deleted.increment();
      default -> {
        // Others count that.
      }
    }
  }
}
