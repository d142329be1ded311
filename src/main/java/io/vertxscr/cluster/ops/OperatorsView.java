package io.vertxscr.cluster.ops;

import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What operators see of a node.
 *
 * @param metricsPage makes the page of {@code /metrics}; must not block
 * @param notReady why this node cannot serve a phase now, empty where it can
 * @param dashboard empty while the node starts
 */
public record OperatorsView(Supplier<String> metricsPage, Supplier<Future<Optional<String>>> notReady,
    Supplier<Optional<Dashboard>> dashboard) {
  /** Without a dashboard. */
  public OperatorsView(Supplier<String> metricsPage, Supplier<Future<Optional<String>>> notReady) {
    this(metricsPage, notReady, Optional::empty);
  }
}
