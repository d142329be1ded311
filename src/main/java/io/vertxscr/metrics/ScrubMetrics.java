package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.model.HeldPart;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Background reads of this node's caches, and what they found. */
final class ScrubMetrics implements Observer {
  private final Counter bytes;
  private final Counter looks;
  private final Map<HeldPart, Counter> found = new EnumMap<>(HeldPart.class);
  private final Map<HeldPart, Counter> repaired = new EnumMap<>(HeldPart.class);
  private final FaultCounters failures;
  private final Counter published;
  private final Counter publishedBytes;
  private final Counter publishedDamaged;

  ScrubMetrics(MeterRegistry registry) {
    bytes = Counter.builder("scr_scrub_bytes").baseUnit("bytes").description("bytes read by completed looks")
        .register(registry);
    looks = Counter.builder("scr_scrub_datasets").description("datasets that were read to their end")
        .register(registry);
    for (HeldPart part : HeldPart.values()) {
      found.put(part, counter(registry, "scr_scrub_found", "damaged parts of this cache", part));
      repaired.put(part, counter(registry, "scr_scrub_repaired", "of these, repaired", part));
    }
    failures = new FaultCounters(registry, "scr_scrub_repair_failures", "damaged parts that could not be repaired");
    published = Counter.builder("scr_scrub_published_datasets")
        .description("published datasets that were read to their end").register(registry);
    publishedBytes = Counter.builder("scr_scrub_published_bytes").baseUnit("bytes").description("bytes of these")
        .register(registry);
    publishedDamaged = Counter.builder("scr_scrub_published_damaged")
        .description("published datasets that were found damaged").register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description, HeldPart part) {
    return Counter.builder(name).description(description).tag("part", part.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.ScrubDone done -> {
        bytes.increment(done.bytes());
        looks.increment();
      }
      case Event.DamageFound bad -> Objects.requireNonNull(found.get(bad.part())).increment();
      case Event.DamageRepaired good -> Objects.requireNonNull(repaired.get(good.part())).increment();
      case Event.DamageStays bad -> failures.count(bad.fault());
      case Event.PublishedVerified done -> {
        published.increment();
        publishedBytes.increment(done.bytes());
      }
      case Event.PublishedDamaged _ -> publishedDamaged.increment();
      default -> {
        // Others count that.
      }
    }
  }
}
