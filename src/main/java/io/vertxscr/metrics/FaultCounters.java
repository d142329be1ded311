package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.model.Fault;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** One counter for each fault, there from the start: a rate needs the zero before the first. */
final class FaultCounters {
  private final Map<Fault, Counter> counters = new EnumMap<>(Fault.class);

  FaultCounters(MeterRegistry registry, String name, String description) {
    for (Fault fault : Fault.values()) {
      counters.put(fault,
          Counter.builder(name).description(description).tag("fault", fault.name()).register(registry));
    }
  }

  void count(Fault fault) {
    Objects.requireNonNull(counters.get(fault)).increment();      // there is one for each
  }
}
