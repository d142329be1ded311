package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.cluster.ops.OperatorsPort;
import io.vertxscr.cluster.ops.OperatorsView;
import java.util.Optional;
import java.util.OptionalInt;

/** Lets operators see dashboard, metrics and health, where they want to ({@link OperatorsPort}). One a node. */
public final class OpsVerticle extends VerticleBase {
  private final Optional<OperatorsAddress> address;
  private final OperatorsView view;
  private volatile OptionalInt port = OptionalInt.empty();

  /** @param address empty for nowhere */
  public OpsVerticle(Optional<OperatorsAddress> address, OperatorsView view) {
    this.address = address;
    this.view = view;
  }

  @Override
  public Future<?> start() {
    return address.isEmpty() ? Future.succeededFuture()
        : new OperatorsPort(vertx, address.get(), view).open()
            .onSuccess(bound -> port = OptionalInt.of(bound));
  }

  /** The port it listens on; empty where it does not. */
  public OptionalInt port() {
    return port;
  }
}
