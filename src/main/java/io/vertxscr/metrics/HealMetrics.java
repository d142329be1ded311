package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;

/** Lost parts that are made again while no run is on; counted by the leader. */
final class HealMetrics implements Observer {
  private final Counter started;
  private final Counter done;
  private final FaultCounters failures;
  private volatile double ratio = 1;

  HealMetrics(MeterRegistry registry) {
    Gauge.builder("scr_heal_ratio", () -> ratio).strongReference(true)
        .description("of what the dataset that is being healed lacked, made again; 1 where none is")
        .register(registry);
    started = Counter.builder("scr_heal_started").description("datasets whose healing began").register(registry);
    done = Counter.builder("scr_heal_done").description("of these, whole again").register(registry);
    failures = new FaultCounters(registry, "scr_heal_failures", "datasets that could not be healed, or not to the end");
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.HealStarted _ -> {
        started.increment();
        ratio = 0;
      }
      case Event.HealProgress progress -> ratio = (double) progress.done() / progress.steps();
      case Event.HealDone _ -> {
        done.increment();
        ratio = 1;
      }
      case Event.HealStopped bad -> {
        failures.count(bad.fault());
        ratio = 1;
      }
      default -> {
        // Others count that.
      }
    }
  }
}
