package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.cluster.ops.OperatorsPort;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** Lets operators see metrics and health, where they want to ({@link OperatorsPort}). One instance a node. */
public final class OpsVerticle extends VerticleBase {
  private final Optional<OperatorsAddress> address;
  private final Supplier<String> metricsPage;
  private final Supplier<Future<Optional<String>>> notReady;
  private volatile OptionalInt port = OptionalInt.empty();

  /**
   * @param address empty for nowhere
   * @param metricsPage makes the page of {@code /metrics}; must not block
   * @param notReady why this node cannot serve a phase now, empty where it can
   */
  public OpsVerticle(Optional<OperatorsAddress> address, Supplier<String> metricsPage,
      Supplier<Future<Optional<String>>> notReady) {
    this.address = address;
    this.metricsPage = metricsPage;
    this.notReady = notReady;
  }

  @Override
  public Future<?> start() {
    return address.isEmpty() ? Future.succeededFuture()
        : new OperatorsPort(vertx, address.get(), metricsPage, notReady).open()
            .onSuccess(bound -> port = OptionalInt.of(bound));
  }

  /** The port it listens on; empty where it does not. */
  public OptionalInt port() {
    return port;
  }
}
