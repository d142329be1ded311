package io.vertxscr.simulation;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Transport;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.ReplyFaults;
import io.vertxscr.protocol.Verb;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A rank's connection to its node in virtual time. The rank dies with its node, and hears nothing of it. Nothing is
 * heard of a rank that has closed its connection.
 */
final class VirtualTransport implements Transport {
  private static final long FOREVER_MS = Duration.ofDays(365).toMillis();

  private final EventBus bus;
  private final String node;
  private final String client;
  private final BooleanSupplier alive;
  private final Consumer<String> closed;
  private boolean isClosed;

  /** @param closed is told of the end of the connection, behind all that was sent over it */
  VirtualTransport(EventBus bus, String node, String client, BooleanSupplier alive, Consumer<String> closed) {
    this.bus = bus;
    this.node = node;
    this.client = client;
    this.alive = alive;
    this.closed = closed;
  }

  @Override
  public CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body) {
    DeliveryOptions options =
        new DeliveryOptions().setSendTimeout(FOREVER_MS).addHeader(Addresses.CLIENT_HEADER, client);
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    if (isClosed) {
      return answer;
    }
    bus.<JsonObject>request(Addresses.of(node, verb), new JsonObject(body), options).onComplete((message, failure) -> {
      if (failure == null) {
        answer.complete(fields(message.body()));
      } else {
        answer.completeExceptionally(ReplyFaults.of(failure, node));
      }
    });
    return answer;
  }

  /** As the client's own reader gives them. */
  private static Map<String, Object> fields(JsonObject json) {
    Map<String, Object> fields = new LinkedHashMap<>();
    json.getMap().forEach((name, value) -> fields.put(name, plain(value)));
    return fields;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case JsonObject json -> fields(json);
      case JsonArray array -> array.stream().map(VirtualTransport::plain).toList();
      case null, default -> value;
    };
  }

  @Override
  public void onClosed(Consumer<ScrException> listener) {
    // The rank's process is gone when its node is.
  }

  @Override
  public void close() {
    boolean first = !isClosed;
    isClosed = true;
    if (first && alive.getAsBoolean()) {
      closed.accept(client);
    }
  }
}
