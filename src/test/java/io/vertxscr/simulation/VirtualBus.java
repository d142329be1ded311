package io.vertxscr.simulation;

import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import io.vertxscr.service.Loop;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The event bus of a whole cluster in virtual time.
 *
 * <p>Messages and answers take a random time and overtake each other. What a dead node has sent to others may
 * arrive, or not; it hears nothing any more, and who asks it gets no answer. Of Vert.x there is only what the verticles
 * and buses of a node use; anything else is refused by name.
 */
public final class VirtualBus {
  private final Random random;
  private final Loop loop;
  private final Trace trace;
  private final Network network;
  private final Map<String, Consumer> consumers = new HashMap<>();
  private final Set<String> dead = new HashSet<>();
  private final List<JsonObject> events = new ArrayList<>();
  /** Questions without an answer, by who asks. */
  private final Map<String, Integer> unanswered = new HashMap<>();
  private Handler<Sent> watcher = _ -> {};
  private UnaryOperator<Sent> answering = UnaryOperator.identity();

  /** Who listens at an address. */
  private record Consumer(String end, Handler<Message<Object>> handler) {}

  /** A message that is about to be sent, or an answer, whose address is empty then. */
  public record Sent(String from, String address, Object body) {
    public boolean isAnswer() {
      return address.isEmpty();
    }

    /** What nodes say to each other: JSON text. */
    public JsonObject json() {
      return body instanceof Buffer text ? text.toJsonObject() : body instanceof JsonObject json ? json
          : new JsonObject();
    }
  }

  VirtualBus(Random random, Loop loop, Trace trace, Network network) {
    this.random = random;
    this.loop = loop;
    this.trace = trace;
    this.network = network;
  }

  /** Is told of each message, and each answer, just before it is on its way. */
  public void watch(Handler<Sent> by) {
    watcher = by;
  }

  /** Has answers changed by whoever gives them: which end says what. */
  public void answering(UnaryOperator<Sent> by) {
    answering = by;
  }

  /** What nodes have told everybody. */
  public List<JsonObject> events() {
    return events;
  }

  /** Of this type. */
  public List<JsonObject> events(String type) {
    return events.stream().filter(event -> event.getString("type").equals(type)).toList();
  }

  /** How many of its questions have no answer yet. */
  int unanswered(String end) {
    return unanswered.getOrDefault(end, 0);
  }

  /** The end dies; each life of a node is an end of its own. */
  void dies(String end) {
    dead.add(end);
    consumers.values().removeIf(consumer -> consumer.end().equals(end));
  }

  /** A Vert.x that knows its event bus, and deploys verticles at once. */
  Vertx vertx(String end) {
    EventBus eventBus = of(end);
    Vertx[] self = new Vertx[1];
    Context context = fake(Context.class, Map.of("owner", _ -> self[0]));
    self[0] = fake(Vertx.class, Map.of("eventBus", _ -> eventBus, "deployVerticle", arguments -> {
      try {
        return ((Supplier<?>) arguments[0]).get() instanceof Deployable verticle
            ? verticle.deploy(context).map("") : Future.failedFuture("no verticle");
      } catch (Exception e) {
        return Future.failedFuture(e);
      }
    }));
    return self[0];
  }

  /** The bus as this end sees it. */
  @SuppressWarnings("unchecked")
  EventBus of(String end) {
    return fake(EventBus.class, Map.of(
        "consumer", arguments -> consumer((String) arguments[0], end, (Handler<Message<Object>>) arguments[1]),
        "request", arguments -> request(
            new Sent(end, (String) arguments[0], copy(arguments[1])), (DeliveryOptions) arguments[2]),
        "send", arguments -> request(
            new Sent(end, (String) arguments[0], copy(arguments[1])), new DeliveryOptions()),
        "publish", arguments -> {
          JsonObject event = (JsonObject) arguments[1];
          trace.note(event.getString("type").hashCode(), () -> end + " tells " + event);
          events.add(event);
          return null;
        }));
  }

  private MessageConsumer<Object> consumer(String address, String end, Handler<Message<Object>> handler) {
    consumers.put(address, new Consumer(end, handler));
    return fake(MessageConsumer.class, Map.of("completion", _ -> Future.succeededFuture(), "unregister", _ -> {
      consumers.remove(address);
      return Future.succeededFuture();
    }));
  }

  private Future<Message<Object>> request(Sent sent, DeliveryOptions options) {
    Promise<Message<Object>> promise = loop.promise();
    unanswered.merge(sent.from(), 1, Integer::sum);
    long timer = loop.after(options.getSendTimeout(), () -> promise.tryFail(new ReplyException(ReplyFailure.TIMEOUT)));
    Consumer first = consumers.get(sent.address());
    travels(sent, sent.address(), () -> {
      Consumer consumer = consumers.get(sent.address());
      if (first != null && consumer != null && !first.end().equals(consumer.end())) {
        return;                                           // it was on a connection to the daemon that was there before
      }
      if (consumer != null) {
        consumer.handler().handle(new BusMessage(sent, headers(sent, options), consumer.end(), promise));
      } else if (!isOfDead(sent.address())) {
        answers(new Sent("", "", "nobody listens"), sent.from(),
            () -> promise.tryFail(new ReplyException(ReplyFailure.NO_HANDLERS)));
      }
    });
    return promise.future().onComplete(_ -> {
      loop.cancel(timer);
      unanswered.merge(sent.from(), -1, Integer::sum);
    });
  }

  /** With the stamp of its sender, as behind the TLS of the event bus; within a node there is none. */
  private static MultiMap headers(Sent sent, DeliveryOptions options) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    if (options.getHeaders() != null) {
      headers.addAll(options.getHeaders());
    }
    String from = nodeOf(sent.from());
    return from.equals(nodeOf(sent.address())) ? headers : headers.add("scr-sender", keyOf(from));
  }

  /** Fingerprint of the key of a node, in all of its lives. */
  static String keyOf(String node) {
    return "key of " + node;
  }

  /** Addresses are scr.node.verb, and ends node/life: nobody has taken the place of the dead. */
  private boolean isOfDead(String address) {
    String node = address.split("\\.")[1];
    return dead.stream().anyMatch(end -> end.startsWith(node + "/"));
  }

  /** A message at its receiver; an answer has no headers, and cannot be answered. */
  private final class BusMessage implements Message<Object> {
    private final Sent sent;
    private final MultiMap headers;
    private final String by;
    private final Promise<Message<Object>> promise;

    BusMessage(Sent sent, MultiMap headers, String by, Promise<Message<Object>> promise) {
      this.sent = sent;
      this.headers = headers;
      this.by = by;
      this.promise = promise;
    }

    @Override
    public String address() {
      return sent.address();
    }

    @Override
    public MultiMap headers() {
      return headers;
    }

    @Override
    public Object body() {
      return sent.body();
    }

    @Override
    public void reply(Object body) {
      Sent answer = answering.apply(new Sent(by, "", copy(body)));
      answers(answer, sent.from(), () -> promise.tryComplete(new BusMessage(answer, headers, "", promise)));
    }

    @Override
    public void fail(int code, String message) {
      answers(new Sent(by, "", message), sent.from(),
          () -> promise.tryFail(new ReplyException(ReplyFailure.RECIPIENT_FAILURE, code, message)));
    }

    @Override
    public String replyAddress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isSend() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void reply(Object body, DeliveryOptions options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> Future<Message<R>> replyAndRequest(Object body, DeliveryOptions options) {
      throw new UnsupportedOperationException();
    }
  }

  private void answers(Sent answer, String to, Runnable arrival) {
    travels(answer, to, () -> {
      if (!dead.contains(to)) {
        arrival.run();
      }
    });
  }

  private void travels(Sent sent, String to, Runnable arrival) {
    if (dead.contains(sent.from())) {
      return;
    }
    watcher.handle(sent);
    int[] arrivals = network.arrivals(nodeOf(sent.from()), nodeOf(to));
    if (arrivals.length == 0) {
      trace.note(0, () -> sent.from() + " -> " + to + " (dropped): " + sent.body());
    }
    for (int delayMs : arrivals) {
      loop.after(delayMs, () -> {
        // what was on its way within a node is gone with its daemon: the next one has connections of its own
        boolean lost = dead.contains(sent.from())
            && (random.nextBoolean() || nodeOf(sent.from()).equals(nodeOf(to)));
        trace.note(hash(sent), () -> sent.from() + " -> " + to + (lost ? " (lost): " : ": ") + sent.body());
        if (!lost) {
          arrival.run();
        }
      });
    }
  }

  private static int hash(Sent sent) {
    return 31 * sent.address().hashCode() + (sent.body() instanceof Buffer text ? text.hashCode() : 0);
  }

  /** Of an end (node/life) or an address (scr.node.verb). */
  private static String nodeOf(String where) {
    int end = where.indexOf('/');
    if (end >= 0) {
      return where.substring(0, end);
    }
    int begin = where.indexOf('.') + 1;
    end = where.indexOf('.', begin);
    return begin == 0 || end < 0 ? where : where.substring(begin, end);
  }

  private static Object copy(Object body) {
    return switch (body) {
      case Buffer text -> text;                            // nobody changes it
      case JsonObject json -> json.copy();
      case String text -> text;
      default -> throw new IllegalArgumentException("not sent over the bus: " + body);
    };
  }

  private static <T> T fake(Class<? super T> type, Map<String, Function<Object[], Object>> methods) {
    @SuppressWarnings("unchecked")
    T made = (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
      Function<Object[], Object> known = methods.get(method.getName());
      if (known == null) {
        throw new UnsupportedOperationException(method.toString());
      }
      return known.apply(arguments);
    });
    return made;
  }
}
