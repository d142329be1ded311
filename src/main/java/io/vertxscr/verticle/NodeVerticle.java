package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.accept.BusFrames;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.Replies;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.OfNode;
import io.vertxscr.service.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A verticle of a node: addresses, codecs and delegates. Every message is handled on the node's loop; one that is asked
 * again while its first asking is under way joins that one, and what changes something is done once for each call.
 */
public abstract class NodeVerticle extends VerticleBase {
  private static final int MOST_CALL_CHARS = 64;

  /** The node that this verticle serves. */
  protected final NodeContext node;
  private final List<MessageConsumer<?>> consumers = new ArrayList<>();
  private final Map<Object, Future<?>> underWay = new HashMap<>();
  private final AnsweredCalls answered = new AnsweredCalls();

  /** Serves a node. */
  protected NodeVerticle(NodeContext node) {
    this.node = node;
  }

  /** Names what is served; called once, before the verticle counts as deployed. */
  protected abstract void serve();

  @Override
  public final Future<?> start() {
    serve();
    return Future.all(consumers.stream().map(MessageConsumer::completion).toList());
  }

  @Override
  public final Future<?> stop() {
    return Future.all(consumers.stream().map(MessageConsumer::unregister).toList());
  }

  /** Answers applications: the request, and the connection that it came through. */
  protected final <Q> void serve(Verb verb, Class<Q> type, BiFunction<Q, String, Future<?>> delegate) {
    Consumer<Throwable> failed =
        failure -> node.observer().notice(new Event.CallFailed(verb.wireName(), Fault.of(failure)));
    consume(Addresses.of(node.name(), verb), failed, message -> {
      String client = Optional.ofNullable(message.headers().get(Addresses.CLIENT_HEADER)).orElse("local");
      return delegate.apply(Wire.fromCall(message.body(), type), client);
    });
  }

  /** Answers other nodes. */
  protected final <Q> void serve(NodeVerb verb, Class<Q> type, Function<Q, Future<?>> delegate) {
    consume(verb.address(node.name()), _ -> {}, message -> {
      Supplier<Future<Buffer>> step = () -> joined(verb, type, delegate, message).map(EventBusNodeBus::body);
      String call = message.headers().get(EventBusNodeBus.CALL);
      return call == null || call.length() > MOST_CALL_CHARS || !verb.isOnce() ? step.get()
          : answered.once(BusFrames.sender(message).orElse("") + " " + call, step);
    });
  }

  private <Q> Future<?> joined(NodeVerb verb, Class<Q> type, Function<Q, Future<?>> delegate, Message<?> message) {
    Optional<String> sender = BusFrames.sender(message);
    String epoch = message.headers().get(EventBusNodeBus.EPOCH);
    if (epoch != null || verb.isFromLeader() || verb == NodeVerb.TAKEOVER) {
      node.epoch().requireLeaders(sender);
    }
    if (epoch != null) {
      node.epoch().admit(epoch);
    } else if (verb.isFromLeader()) {
      throw new ScrException(Fault.NOT_LEADER, verb + " without an epoch: only the node that leads may send it");
    }
    Q request = Wire.fromBody(message.body(), type);
    if (request instanceof OfNode said && !node.membership().canBeOf(said.node(), sender)) {
      throw new ScrException(Fault.NOT_LEADER,            // asked again: that it is a member now may not be known yet
          verb + " in the name of node " + said.node() + ", whose key the sender does not have");
    }
    Object key = List.of(verb, request);
    Future<?> first = underWay.get(key);
    if (first != null) {
      return first;
    }
    Future<?> answer = delegate.apply(request);
    if (!answer.isComplete()) {
      underWay.put(key, answer);
      answer.onComplete(_ -> underWay.remove(key));
    }
    return answer;
  }

  private void consume(String address, Consumer<Throwable> failed, Function<Message<?>, Future<?>> handler) {
    consumers.add(vertx.eventBus().<Object>consumer(address, message ->
        node.loop().<Object>call(() -> handler.apply(message).map(answer -> (Object) answer))
            .onFailure(failed::accept)
            .onComplete(Replies.to(message))));
  }
}
