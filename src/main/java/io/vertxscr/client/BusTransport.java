package io.vertxscr.client;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.ClientClosed;
import io.vertxscr.protocol.ReplyFaults;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.json.JsonRecords;
import io.vertxscr.protocol.json.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Calls over the event bus, for cluster members, and for nodes in the same Vert.x.
 *
 * <p>A call has no timeout of its own, because the node owns all waits and always answers. Therefore, while calls wait,
 * the node is asked every {@value #WATCH_MS} ms whether it is there: the event bus does not fail requests whose
 * receiver died. A missing handler is proof at once; silence (the node may be stopped for a while) after
 * {@value #SILENT_WATCHES} times in a row.
 *
 * <p>Each transport is a connection of its own to the node, which hears of its end: from {@link #close}, or because the
 * member has left the cluster.
 */
public final class BusTransport implements Transport {
  private static final long FOREVER_MS = TimeUnit.DAYS.toMillis(365);
  private static final long WATCH_MS = 500;
  /** Half a minute. */
  private static final int SILENT_WATCHES = 60;

  /** Numbers of the transports of a process. */
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final Vertx vertx;
  private final String node;
  private final String client;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final DeliveryOptions delivery;
  private final DeliveryOptions watchDelivery;
  private final PendingCalls pending = new PendingCalls();
  private final long watch;
  private final int silentWatches;
  private final AtomicInteger silent = new AtomicInteger();

  /**
   * @param vertx of the application; member of the cluster of the node, or the node's own
   * @param node whom to call
   */
  public BusTransport(Vertx vertx, String node) {
    this(vertx, node, SILENT_WATCHES);
  }

  /** The same, with another number of watches in a row after which a silent node is lost. */
  BusTransport(Vertx vertx, String node, int silentWatches) {
    this.silentWatches = silentWatches;
    this.vertx = vertx;
    this.node = Names.node(node);
    ClusterManager cluster = ((VertxInternal) vertx).clusterManager();
    this.client = Addresses.memberClient(cluster == null ? "local" : cluster.getNodeId(), NUMBERS.incrementAndGet());
    this.delivery = new DeliveryOptions().setSendTimeout(FOREVER_MS).addHeader(Addresses.CLIENT_HEADER, client);
    this.watchDelivery = new DeliveryOptions(delivery).setSendTimeout(WATCH_MS);
    this.watch = vertx.setPeriodic(WATCH_MS, _ -> watch());
  }

  @Override
  public CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body) {
    PendingCalls.Call call = pending.open(verb);
    ask(call, verb, new JsonObject(body));
    return call.answer();
  }

  /**
   * A consumer that is unregistered gives up what it has not answered as if time had run out. Whether the call took
   * effect is not known then: it is repeated, which does nothing twice, and a node that is gone says so at once.
   */
  private void ask(PendingCalls.Call call, Verb verb, JsonObject body) {
    if (!call.answer().isDone()) {
      vertx.eventBus().<JsonObject>request(Addresses.of(node, verb), body, delivery)
          .onSuccess(reply -> answered(call.id(), reply))
          .onFailure(failure -> {
            if (failure instanceof ReplyException e && e.failureType() == ReplyFailure.TIMEOUT) {
              ask(call, verb, body);
            } else {
              failed(call.id(), failure);
            }
          });
    }
  }

  @Override
  public void onClosed(Consumer<ScrException> listener) {
    pending.onEnd(listener);
  }

  @Override
  public void close() {
    vertx.cancelTimer(watch);
    pending.end(new ScrException(Fault.NODE_LOST,
        "the connection to node " + node + " was closed by this process"), false);
    if (closed.compareAndSet(false, true)) {
      // As text, because that is how nodes speak to each other.
      Buffer text = Buffer.buffer(JsonText.write(JsonRecords.write(new ClientClosed(client))));
      vertx.eventBus().send(Addresses.clientClosed(node), text);
    }
  }

  private void answered(long id, Message<JsonObject> reply) {
    pending.succeed(id, plain(reply.body()));
  }

  /** Whether this thread is an event loop, which must not wait. */
  static boolean isEventLoop() {
    return Context.isOnEventLoopThread();
  }

  /** As {@link JsonText} reads it. */
  private static Map<String, Object> plain(JsonObject object) {
    Map<String, Object> plain = new LinkedHashMap<>();
    object.forEach(field -> plain.put(field.getKey(), plain(field.getValue())));
    return plain;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case JsonObject object -> plain(object);
      case JsonArray array -> {
        List<Object> plain = new ArrayList<>();
        array.forEach(element -> plain.add(plain(element)));
        yield plain;
      }
      case null, default -> value;
    };
  }

  private void failed(long id, Throwable failure) {
    pending.fail(id, ReplyFaults.of(failure, node));
  }

  private void watch() {
    if (pending.isEmpty()) {
      silent.set(0);
      return;
    }
    vertx.eventBus().request(Addresses.of(node, Verb.ALIVE), new JsonObject(), watchDelivery)
        .onSuccess(_ -> silent.set(0))
        .onFailure(failure -> {
          ScrException fault = ReplyFaults.of(failure, node);
          if (fault.fault() == Fault.NODE_LOST) {
            lost(fault);
          } else if (silent.incrementAndGet() >= silentWatches) {
            lost(new ScrException(Fault.NODE_LOST, "node " + node + " has been silent for "
                + silentWatches * WATCH_MS / 1000.0 + " s while " + pending.verbs()
                + " waited for an answer; its daemon is stopped or hangs"));
          }
        });
  }

  private void lost(ScrException fault) {
    vertx.cancelTimer(watch);
    pending.end(fault, true);
  }
}
