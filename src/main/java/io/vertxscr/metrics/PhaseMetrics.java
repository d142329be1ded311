package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.concurrent.TimeUnit;

/** Output phases, and what they protected. */
final class PhaseMetrics implements Observer {
  private final Counter started;
  private final Timer complete;
  private final Timer discarded;
  private final FaultCounters faults;
  private final Counter heldUp;
  private final Timer protection;
  private final Counter bytes;
  private final Counter files;

  PhaseMetrics(MeterRegistry registry) {
    started = Counter.builder("scr_phase_started").description("datasets that were begun").register(registry);
    heldUp = Counter.builder("scr_phase_held_up")
        .description("phases delayed by a node until a flush had freed space").register(registry);
    complete = phase(registry, "complete");
    discarded = phase(registry, "discarded");
    faults = new FaultCounters(registry, "scr_phase_failures",
        "datasets that were not begun for lack of room, or discarded, by the reason");
    protection = Timer.builder("scr_protection")
        .description("from the last rank's complete to the protection on all nodes").register(registry);
    bytes = Counter.builder("scr_protection_bytes").baseUnit("bytes").description("files that were protected")
        .register(registry);
    files = Counter.builder("scr_protection_files").description("files that were protected").register(registry);
  }

  private static Timer phase(MeterRegistry registry, String outcome) {
    return Timer.builder("scr_phase").description("from start-output to its end").tag("outcome", outcome)
        .register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.PhaseStarted _ -> started.increment();
      case Event.PhaseHeldUp _ -> heldUp.increment();
      case Event.PhaseRefused refused -> faults.count(refused.fault());
      case Event.DatasetComplete(_, _, _, Event.PhaseExtent extent) -> {
        complete.record(extent.phaseUs(), TimeUnit.MICROSECONDS);
        protection.record(extent.protectionUs(), TimeUnit.MICROSECONDS);
        bytes.increment(extent.bytes());
        files.increment(extent.files());
      }
      case Event.DatasetDiscarded lost -> {
        discarded.record(lost.extent().phaseUs(), TimeUnit.MICROSECONDS);
        faults.count(lost.fault());
      }
      default -> {
        // Others count that.
      }
    }
  }
}
