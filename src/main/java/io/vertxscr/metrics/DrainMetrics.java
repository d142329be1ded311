package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;

/** Nodes that are drained, to be shut down; counted by the leader. */
final class DrainMetrics implements Observer {
  private final Counter started;
  private final Counter done;
  private final Counter stopped;
  private final Counter cancelled;

  DrainMetrics(MeterRegistry registry) {
    started = Counter.builder("scr_drain_started").description("nodes that an operator wanted drained")
        .register(registry);
    done = Counter.builder("scr_drain_done").description("of these, drained").register(registry);
    stopped = Counter.builder("scr_drain_stopped").description("of these, could not be drained for a time")
        .register(registry);
    cancelled = Counter.builder("scr_drain_cancelled").description("of these, taken back").register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.DrainStarted _ -> started.increment();
      case Event.DrainDone _ -> done.increment();
      case Event.DrainStopped _ -> stopped.increment();
      case Event.DrainCancelled _ -> cancelled.increment();
      default -> {
        // Others count that.
      }
    }
  }
}
