package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Scheme;
import io.vertxscr.service.Event;
import io.vertxscr.service.Observer;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Meters of this node's cache. */
final class CacheMetrics implements Observer {
  private final MeterRegistry registry;
  private final Counter evicted;

  CacheMetrics(MeterRegistry registry) {
    this.registry = registry;
    evicted = Counter.builder("scr_cache_evicted").description("datasets evicted from this cache").register(registry);
  }

  /** Reads the cache at each scrape. */
  void watch(Supplier<List<DatasetRecord>> datasets, Predicate<DatasetRecord> isDamaged,
      Supplier<Number> freeRatio) {
    gauge("scr_cache_datasets", "datasets in this cache", datasets, _ -> true);
    gauge("scr_cache_unprotected_datasets", "of these, without the redundancy that they should have", datasets,
        CacheMetrics::isUnprotected);
    gauge("scr_cache_damaged_datasets", "of these, with parts that have failed their check", datasets, isDamaged);
    gauge("scr_cache_unflushed_datasets", "of these, on their way to the prefix directory", datasets,
        dataset -> dataset.flush() == FlushState.WANTED);
    Gauge.builder("scr_cache_free_ratio", freeRatio)
        .description("free share of the file system of this node's fullest store").register(registry);
  }

  private static boolean isUnprotected(DatasetRecord dataset) {
    return dataset.scheme() != Scheme.SINGLE
        && dataset.ranks().stream().anyMatch(rank -> rank.redundancy().isEmpty());
  }

  private void gauge(String name, String description, Supplier<List<DatasetRecord>> datasets,
      Predicate<DatasetRecord> counted) {
    Gauge.builder(name, () -> datasets.get().stream().filter(counted).count())
        .description(description).register(registry);
  }

  @Override
  public void notice(Event event) {
    if (event instanceof Event.Evicted) {
      evicted.increment();
    }
  }
}
