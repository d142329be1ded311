package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;

/** Runs, and the calls of their ranks that failed. */
final class RunMetrics implements Observer {
  private final Counter begun;
  private final Counter finalized;
  private final Counter weak;
  private final Counter halting;
  private final FaultCounters lost;
  private final FaultCounters failedCalls;

  RunMetrics(MeterRegistry registry) {
    begun = Counter.builder("scr_run_begun").description("runs that have begun").register(registry);
    finalized = Counter.builder("scr_run_finalized").description("runs that the application ended").register(registry);
    weak = Counter.builder("scr_run_weakly_protected")
        .description("unmet redundancy requirements of runs").register(registry);
    halting = Counter.builder("scr_run_halting").description("runs stopped by a halt condition")
        .register(registry);
    lost = new FaultCounters(registry, "scr_run_lost", "runs that ended before their time");
    failedCalls = new FaultCounters(registry, "scr_call_failures", "calls of ranks that were answered with a fault");
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.RunBegun _ -> begun.increment();
      case Event.RunOver over -> over.fault().ifPresentOrElse(lost::count, finalized::increment);
      case Event.ProtectionWeak _ -> weak.increment();
      case Event.Halting _ -> halting.increment();
      case Event.CallFailed failed -> failedCalls.count(failed.fault());
      default -> {
        // Others count that.
      }
    }
  }
}
