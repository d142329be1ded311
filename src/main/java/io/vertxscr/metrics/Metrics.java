package io.vertxscr.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.EnumSet;

/**
 * The registry of one process: meters of Vert.x, of the JVM, and our own, scraped as one page. Safe for all threads.
 *
 * <p>Every label has a closed set of values. The event bus address is no label, because every node and every reply
 * would be a series of its own.
 */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** Where components register their meters. */
  public MeterRegistry registry() {
    return registry;
  }

  /** A builder of a Vert.x that reports here. {@code options} is changed. */
  public VertxBuilder vertx(VertxOptions options) {
    options.setMetricsOptions(new MicrometerMetricsOptions()
        .setEnabled(true)
        .setJvmMetricsEnabled(true)
        .setLabels(EnumSet.of(
            Label.EB_SIDE, Label.EB_FAILURE, Label.HTTP_METHOD, Label.HTTP_CODE, Label.POOL_TYPE, Label.POOL_NAME)));
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
