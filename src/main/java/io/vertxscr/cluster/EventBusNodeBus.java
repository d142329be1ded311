package io.vertxscr.cluster;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.ReplyFaults;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * {@link NodeBus} over the event bus.
 *
 * <p>Two facts of the event bus shape it. A request to a node that dies waits for its whole timeout: so every open
 * request fails when membership says that the node has left. A lost reply looks like a slow one: so a request is sent
 * again after {@link #ATTEMPT_MS}, for as long as the node is a member; the other side joins it to the call that is
 * under way, and knows by {@link #CALL} one that it has answered. While somebody waits for a node, its loop and storage
 * are asked for a sign of life ({@link Silence}); where none comes, all who wait for that node hear so.
 */
public final class EventBusNodeBus implements NodeBus, Membership.Listener {
  /** Header of a leader's message: number and name of its leadership. */
  public static final String EPOCH = "scr-epoch";
  /** Header that all copies of a call have in common, where it must not be done twice. */
  public static final String CALL = "scr-call";
  private static final long ATTEMPT_MS = 10_000;
  private static final long PAUSE_MS = 20;
  /** How long a leader is looked for that takes a request. */
  private static final long MOST_SEARCH_MS = 5_000;
  /** Number of waits for a member without consumers: it is starting or stopping. */
  private static final int MOST_PAUSES = 250;

  private final EventBus eventBus;
  private final Loop loop;
  private final Membership membership;
  private final Epoch epoch;
  /** By their numbers: those who wait longest hear first. */
  private final Map<Long, Request> open = new TreeMap<>();
  private Consumer<String> stranger = _ -> {};
  private final Map<String, Silence> watched = new TreeMap<>();
  private Consumer<String> back = _ -> {};
  /** Tells the calls of this daemon from those of an earlier one. */
  private final String life;
  private long requests;
  private ScrException closed;

  /** Creates the bus of a node; must be called on its loop. */
  public EventBusNodeBus(EventBus eventBus, Loop loop, Membership membership, Epoch epoch) {
    this.eventBus = eventBus;
    this.loop = loop;
    this.membership = membership;
    this.epoch = epoch;
    this.life = Long.toHexString(loop.random().nextLong());
    membership.listen(this);
  }

  /** One question, over all its attempts. @param leadership under which it is sent, empty for no leader's message */
  private record Request(
      long number, String node, NodeVerb verb, Buffer body, String leadership, Promise<Object> promise) {
    boolean asLeader() {
      return !leadership.isEmpty();
    }
  }

  @Override
  public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
    return send(node, verb, body(request), "").map(reply -> Wire.fromBody(reply, answer));
  }

  @Override
  public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
    String leadership = epoch.own();
    return leadership.isEmpty() ? Future.failedFuture(notLeading())
        : send(node, verb, body(request), leadership).map(reply -> Wire.fromBody(reply, answer));
  }

  @Override
  public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
    Buffer body = body(request);
    Promise<Object> promise = loop.promise();
    askLeader(verb, body, promise, 0);
    return promise.future().map(reply -> Wire.fromBody(reply, answer));
  }

  /**
   * Encodes a message of a node.
   *
   * @throws ScrException BAD_REQUEST if it is larger than the others accept
   */
  public static Buffer body(Object message) {
    byte[] bytes = Wire.toBytes(message);
    if (bytes.length > Limits.MAX_NODE_MESSAGE_BYTES) {
      throw new ScrException(Fault.BAD_REQUEST, "a message of " + bytes.length + " bytes ("
          + message.getClass().getSimpleName() + "), at most " + Limits.MAX_NODE_MESSAGE_BYTES + " go to a node");
    }
    return Buffer.buffer(bytes);
  }

  /** @param searchedMs how long no leader has taken it, as far as pauses go */
  private void askLeader(NodeVerb verb, Buffer body, Promise<Object> promise, long searchedMs) {
    String leader = membership.leader().name();
    send(leader, verb, body, "").onComplete((json, failure) -> {
      boolean silent = silence(leader, verb).isPresent();
      if (isWithoutLeader(failure) && !silent && searchedMs < MOST_SEARCH_MS && closed == null) {
        loop.after(PAUSE_MS, () -> askLeader(verb, body, promise, searchedMs + PAUSE_MS));
      } else {
        promise.complete(json, failure);
      }
    });
  }

  /** Not where the leader itself has answered that some node is lost. */
  private static boolean isWithoutLeader(Throwable failure) {
    return failure instanceof ScrException e && (e.fault() == Fault.NOT_LEADER
        || e.fault() == Fault.NODE_LOST && !(e.getCause() instanceof ReplyException));
  }

  private Future<Object> send(String node, NodeVerb verb, Buffer body, String leadership) {
    if (closed != null) {
      return Future.failedFuture(closed);
    }
    Optional<String> silent = silence(node, verb);
    if (silent.isPresent()) {
      return Future.failedFuture(new ScrException(Fault.NODE_LOST, silent.get()));
    }
    Request request = new Request(++requests, node, verb, body, leadership, loop.promise());
    open.put(request.number(), request);
    watch(node);
    attempt(request, 0);
    return request.promise().future().onComplete(_ -> open.remove(request.number()));
  }

  /** Why it is of no use to wait for an answer of this node. A leader leads without its storage. */
  private Optional<String> silence(String node, NodeVerb verb) {
    Silence heard = watched.get(node);
    return heard == null ? Optional.empty()
        : verb.needsStorage() ? heard.of() : heard.ofLoop();
  }

  @Override
  public Optional<String> silence(String node) {
    return Optional.ofNullable(watched.get(node)).flatMap(heard -> heard.of());
  }

  @Override
  public void onBack(Consumer<String> listener) {
    back = listener;
  }

  private void watch(String node) {
    if (!watched.containsKey(node)) {
      Silence heard = new Silence(node);
      watched.put(node, heard);
      loop.after(Silence.PULSE_MS, () -> pulse(node, heard));
    }
  }

  /** Asks for a sign of life, as long as somebody waits for the node, or would, but for its silence. */
  private void pulse(String node, Silence heard) {
    if (watched.get(node) != heard) {
      return;                                             // it has left meanwhile
    }
    boolean waited = open.values().stream().anyMatch(request -> request.node().equals(node));
    if (closed != null || membership.find(node).isEmpty() || !waited && heard.of().isEmpty()) {
      watched.remove(node);
      return;
    }
    heard.asked();
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(Silence.PULSE_MS);
    eventBus.<Object>request(NodeVerb.PULSE.address(node), body(Ack.ACK), options)
        .onComplete((reply, _) -> loop.call(() -> {
          if (reply != null) {
            pulsed(node, reply);
          }
          giveUp(node);
          return Future.succeededFuture();
        }));
    loop.after(Silence.PULSE_MS, () -> pulse(node, heard));
  }

  private void pulsed(String node, Message<Object> reply) {
    Silence heard = watched.get(node);
    if (heard != null) {
      Pulse pulse;
      try {
        pulse = Wire.fromBody(reply.body(), Pulse.class);
      } catch (ScrException _) {
        return;                                           // no sign of life
      }
      boolean wasSilent = heard.of().isPresent();
      heard.heard(pulse.storageSilentMs());
      if (wasSilent && heard.of().isEmpty()) {
        back.accept(node);
      }
    }
  }

  private void giveUp(String node) {
    List.copyOf(open.values()).stream().filter(request -> request.node().equals(node)).forEach(request ->
        silence(node, request.verb()).ifPresent(why ->
            request.promise().tryFail(new ScrException(Fault.NODE_LOST, why))));
  }

  private void attempt(Request request, int pauses) {
    if (request.promise().future().isComplete()) {
      return;
    }
    if (membership.find(request.node()).isEmpty()) {
      request.promise().tryFail(lost(request.node()));
      return;
    }
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(ATTEMPT_MS);
    if (request.asLeader()) {
      if (!epoch.leads() || !epoch.own().equals(request.leadership())) {
        request.promise().tryFail(notLeading());
        return;
      }
      options.addHeader(EPOCH, epoch.text(request.leadership()));
    }
    if (request.verb().isOnce()) {
      options.addHeader(CALL, life + "-" + request.number());
    }
    eventBus.<Object>request(request.verb().address(request.node()), request.body(), options)
        .onComplete((reply, failure) -> loop.call(() -> {
          answered(request, pauses, Optional.ofNullable(reply), failure);
          return Future.succeededFuture();
        }));
  }

  private void answered(Request request, int pauses, Optional<Message<Object>> reply, Throwable failure) {
    ReplyFailure kind = failure instanceof ReplyException e ? e.failureType() : ReplyFailure.ERROR;
    if (reply.isPresent() || kind == ReplyFailure.RECIPIENT_FAILURE) {
      Optional.ofNullable(watched.get(request.node())).ifPresent(heard -> heard.heard());
    }
    if (reply.isPresent() && request.verb() == NodeVerb.PULSE) {
      pulsed(request.node(), reply.get());
    }
    if (reply.isPresent()) {
      request.promise().tryComplete(reply.get().body());
      return;
    }
    switch (kind) {
      case RECIPIENT_FAILURE -> {
        ScrException cause = ReplyFaults.of(failure, request.node());
        if (request.asLeader() && cause.fault() == Fault.NOT_LEADER && pauses < MOST_PAUSES) {
          stranger.accept(request.node());
          loop.after(PAUSE_MS, () -> attempt(request, pauses + 1));
        } else {
          request.promise().tryFail(cause);
        }
      }
      case TIMEOUT -> attempt(request, 0);
      default -> {
        if (pauses < MOST_PAUSES) {
          loop.after(PAUSE_MS, () -> attempt(request, pauses + 1));
        } else {
          request.promise().tryFail(lost(request.node()));
        }
      }
    }
  }

  private static ScrException notLeading() {
    return new ScrException(Fault.NOT_LEADER, "another node has led since, or leads now");
  }

  private static ScrException lost(String node) {
    return new ScrException(Fault.NODE_LOST, "node " + node + " has left the cluster");
  }

  @Override
  public void onStranger(Consumer<String> listener) {
    stranger = listener;
  }

  @Override
  public void onlyLeader(String leader) {
    failAll(request -> request.verb().isForLeader() && !request.node().equals(leader),
        new ScrException(Fault.NOT_LEADER, "node " + leader + " leads now"));
  }

  /** Closes the bus; open requests fail with the cause. On the node's loop. */
  public void close(ScrException cause) {
    closed = cause;
    failAll(_ -> true, cause);
  }

  private void failAll(Predicate<Request> which, ScrException cause) {
    List.copyOf(open.values()).stream().filter(which).forEach(request -> request.promise().tryFail(cause));
  }

  @Override
  public void joined(NodeInfo node) {
    // No node is asked before it has joined.
  }

  @Override
  public void left(NodeInfo node) {
    loop.call(() -> {
      watched.remove(node.name());
      failAll(request -> request.node().equals(node.name()), lost(node.name()));
      return Future.succeededFuture();
    });
  }
}
