package io.vertxscr.system;

import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Transport;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Replies;
import io.vertxscr.protocol.Verb;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A rank's connection to its node in virtual time. The rank dies with its node, and hears nothing of it. */
record VirtualTransport(EventBus bus, String node, String client, BooleanSupplier alive, Consumer<String> closed)
    implements Transport {
  private static final long FOREVER_MS = Duration.ofDays(365).toMillis();

  @Override
  public Future<JsonObject> request(Verb verb, JsonObject body) {
    DeliveryOptions options =
        new DeliveryOptions().setSendTimeout(FOREVER_MS).addHeader(Addresses.CLIENT_HEADER, client);
    return bus.<JsonObject>request(Addresses.of(node, verb), body, options).map(answer -> answer.body())
        .recover(failure -> Future.failedFuture(Replies.faultOf(failure, node)));
  }

  @Override
  public void onClosed(Consumer<ScrException> listener) {
    // The rank's process is gone when its node is.
  }

  @Override
  public Future<Void> close() {
    if (alive.getAsBoolean()) {
      closed.accept(client);
    }
    return Future.succeededFuture();
  }
}
