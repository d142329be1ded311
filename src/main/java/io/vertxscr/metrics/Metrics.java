package io.vertxscr.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The registry of one process: meters of Vert.x, of the JVM, and our own, scraped as one page. Safe for all threads.
 *
 * <p>Every label has a closed set of values. The event bus address is no label, because every node and every reply
 * would be a series of its own.
 */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final CacheMetrics cache = new CacheMetrics(registry);
  private final ClusterMetrics cluster = new ClusterMetrics(registry);
  private final Observer observer = Observer.all(List.of(new RunMetrics(registry), new PhaseMetrics(registry),
      new RestartMetrics(registry), new FlushMetrics(registry), new ScrubMetrics(registry), new HealMetrics(registry),
      new DrainMetrics(registry), cache, cluster));

  /** Returns the registry for components' meters. */
  public MeterRegistry registry() {
    return registry;
  }

  /** Observer that counts events (docs/metrics.md). */
  public Observer observer() {
    return observer;
  }

  /**
   * Registers gauges of a node's cache and cluster, read at each scrape. Once; the suppliers must not block.
   *
   * @param isDamaged whether parts of a dataset here have failed their check
   */
  public void watch(Supplier<List<DatasetRecord>> datasets, Predicate<DatasetRecord> isDamaged, Membership membership,
      Supplier<NodeFigures> figures) {
    cache.watch(datasets, isDamaged, () -> figures.get().freeRatio());
    cluster.watch(membership, () -> figures.get().lostNodes());
  }

  /** A builder of a Vert.x that reports here. {@code options} is changed. */
  public VertxBuilder vertx(VertxOptions options) {
    options.setMetricsOptions(new MicrometerMetricsOptions()
        .setEnabled(true)
        .setJvmMetricsEnabled(true)
        // Measured at 6 % of the event loop in a phase; what matters of the bus is in our own meters.
        .addDisabledMetricsCategory(MetricsDomain.EVENT_BUS)
        .setLabels(EnumSet.of(
            Label.HTTP_METHOD, Label.HTTP_CODE, Label.POOL_TYPE, Label.POOL_NAME)));
    return Vertx.builder().with(options).withMetrics(new MicrometerMetricsFactory(registry));
  }

  /** All meters in the Prometheus text format 0.0.4. */
  public String page() {
    return registry.scrape();
  }

  @Override
  public void close() {
    registry.close();
  }
}
