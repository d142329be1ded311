package io.vertxscr.client;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Replies;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.AbortRequest;
import io.vertxscr.protocol.app.CallRequest;
import io.vertxscr.protocol.app.CompleteOutputRequest;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.CompleteRequest;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.app.FlushRequest;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.NameRequest;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.ShardRequest;
import io.vertxscr.protocol.app.ShouldExitReply;
import io.vertxscr.protocol.app.StartOutputRequest;
import io.vertxscr.protocol.app.StartReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Answers the verbs of one node as a daemon with a run of one rank; a test may override a verb. */
public final class FakeNode extends VerticleBase {
  /** Received message: verb, body, client id. */
  public record Received(Verb verb, JsonObject body, String clientId) {}

  public final List<Received> received = new CopyOnWriteArrayList<>();
  public final Map<Verb, Function<JsonObject, Future<?>>> overrides = new ConcurrentHashMap<>();
  private final String node;

  public FakeNode(String node) {
    this.node = node;
  }

  @Override
  public Future<?> start() {
    for (Verb verb : Verb.values()) {
      vertx.eventBus().<JsonObject>consumer(Addresses.of(node, verb), message -> onCall(verb, message));
    }
    return Future.succeededFuture();
  }

  /** Fails the next and all further calls of a verb. */
  public void fail(Verb verb, Fault fault, String message) {
    overrides.put(verb, _ -> Future.failedFuture(new ScrException(fault, message)));
  }

  /** Never answers a verb. */
  public void hang(Verb verb) {
    overrides.put(verb, _ -> Promise.promise().future());
  }

  /** The call numbers that arrived, in order. */
  public List<Long> calls() {
    return received.stream().filter(r -> r.verb().numbered()).map(r -> r.body().getLong("call")).toList();
  }

  private void onCall(Verb verb, Message<JsonObject> message) {
    received.add(new Received(verb, message.body(), message.headers().get(Addresses.CLIENT_HEADER)));
    Future.succeededFuture(message.body())
        .compose(body -> overrides.getOrDefault(verb, it -> Future.succeededFuture(answer(verb, it))).apply(body))
        .onComplete(Replies.to(message));
  }

  private Object answer(Verb verb, JsonObject body) {
    return switch (verb) {
      case INIT -> {
        Wire.read(body, InitRequest.class);
        yield new InitReply(77, node, InitReply.VERSION, "fake 1.0");
      }
      case HAVE_RESTART -> {
        Wire.read(body, CallRequest.class);
        yield HaveRestartReply.of(4, "before");
      }
      case START_RESTART -> {
        Wire.read(body, CallRequest.class);
        yield new StartReply(4, "before", "/cache/4");
      }
      case START_OUTPUT -> new StartReply(5, Wire.read(body, StartOutputRequest.class).name().orElse("scr.dataset.5"),
          "/cache/5");
      case COMPLETE_OUTPUT -> {
        CompleteOutputRequest request = Wire.read(body, CompleteOutputRequest.class);
        yield completed(request.rank(), request.valid(), new CompleteReply(5, "a"));
      }
      case COMPLETE_RESTART -> {
        CompleteRequest request = Wire.read(body, CompleteRequest.class);
        yield completed(request.rank(), request.valid(), new CompleteReply(4, "before"));
      }
      case ROUTE -> new RouteReply("/cache/5/" + Wire.read(body, RouteRequest.class).name());
      case SHARD -> {
        ShardRequest request = Wire.read(body, ShardRequest.class);
        yield new ShardReply("/cache/4/" + request.name(), request.offset().orElse(0), request.bytes().orElse(7));
      }
      case FLUSH_TEST, FLUSH_WAIT -> {
        Wire.read(body, FlushRequest.class);
        yield FlushReply.FLUSHED;
      }
      case CURRENT, DROP, DELETE -> {
        Wire.read(body, NameRequest.class);
        yield new DoneReply();
      }
      case SHOULD_EXIT -> new ShouldExitReply(Wire.read(body, CallRequest.class).call() > 2,
          Optional.empty(), OptionalLong.empty());
      case NEED_CHECKPOINT -> new NeedCheckpointReply(Wire.read(body, CallRequest.class).call() % 2 == 0,
          OptionalLong.empty());
      case FINALIZE -> {
        Wire.read(body, CallRequest.class);
        yield new DoneReply();
      }
      case ABORT -> {
        Wire.read(body, AbortRequest.class);
        yield new DoneReply();
      }
      case CONFIG -> new ConfigReply(Wire.read(body, ConfigRequest.class).query());
      case STATUS, SCRUB, DRAIN, OPERATE, EVENTS -> new JsonObject().put("node", node);
      case INIT_WAIT -> new DoneReply(Optional.of(List.of("init waits for nobody")));
      case ALIVE -> new DoneReply();
    };
  }

  private static CompleteReply completed(int rank, boolean valid, CompleteReply reply) {
    if (!valid) {
      throw new ScrException(Fault.NOT_VALID, "rank " + rank + " called its files not valid");
    }
    return reply;
  }
}
