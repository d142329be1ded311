package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.restart.RestartService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The services of n1 to n4 for a run's life, in virtual time.
 *
 * <p>Calls of ranks, messages, answers, and the news on each node that another one has left take a random time, so they
 * overtake each other. One node dies when so many of these have happened. What it has sent may arrive, or not; it hears
 * nothing any more.
 */
final class SimulatedNodes {
  private static final int NODES = 4;
  private static final int MOST_TRIES = 250;
  private static final int MOST_DELAY_MS = 50;

  private final Random random;
  private final VirtualTime time;
  private final Loop loop;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final List<Throwable> errors = new ArrayList<>();
  private final RunNumbers numbers = new RunNumbers();
  private String dead = "";
  private final List<String> story = new ArrayList<>();
  private String victim = "";
  private int eventsLeft;

  /** Something that happens after a delay, unless the node that it happens on is dead by then. */
  private record Pending(String from, String to, String what, Runnable event) {}

  SimulatedNodes(Random random) {
    this.random = random;
    this.time = new VirtualTime(random);
    this.loop = time.loop();
    for (int i = 1; i <= NODES; i++) {
      nodes.put("n" + i, new Node("n" + i));
    }
  }

  /** Kills a node after so many events. */
  void dies(String node, int events) {
    victim = node;
    eventsLeft = events;
  }

  /** Nodes that are not dead. */
  List<String> alive() {
    return nodes.keySet().stream().filter(node -> !node.equals(dead)).toList();
  }

  /** Returns unexpected exceptions of services. */
  List<Throwable> errors() {
    return errors;
  }

  /** A rank calls its node, some time; nobody answers on a dead one. */
  <T> Future<T> call(String node, Function<Node, Future<T>> call) {
    Promise<T> answer = loop.promise();
    happens(new Pending("", node, "call", () ->
        Future.succeededFuture().compose(_ -> call.apply(nodes.get(node))).onComplete(answer)));
    return answer.future();
  }

  /** A rank's connection ends. */
  void closed(String node, String client) {
    happens(new Pending("", node, client + " ends", () -> nodes.get(node).runs().connectionClosed(client)));
  }

  private void happens(Pending event) {
    loop.after(random.nextInt(MOST_DELAY_MS + 1), () -> next(event));
  }

  /** All that has happened, for the reader of a failure. */
  String story() {
    return String.join("\n", story);
  }

  /** Runs events until the condition holds, or the time has passed. */
  void runUntil(BooleanSupplier condition, Duration most) {
    time.runUntil(condition, most);
  }

  private void next(Pending event) {
    if (!victim.isEmpty() && eventsLeft-- == 0) {
      dead = victim;
      story.add(dead + " dies");
      victim = "";
      alive().forEach(node -> happens(
          new Pending("", node, dead + " has left", () -> nodes.get(node).hearsOfLoss(dead))));
    }
    boolean lostOnItsWay = event.from().equals(dead) && !dead.isEmpty() && random.nextBoolean();
    boolean arrives = !event.to().equals(dead) && !lostOnItsWay;
    story.add(time.nowNs() / 1_000_000 + " ms: " + event.from() + " -> " + event.to()
        + (arrives ? ": " : " (lost): ") + event.what());
    if (arrives) {
      try {
        event.event().run();
      } catch (RuntimeException | AssertionError e) {
        errors.add(e);
      }
    }
  }

  /** One node: its services, whom it takes for alive, and what it has asked. */
  final class Node implements Membership, NodeBus {
    private final String name;
    private final Epoch epoch = new Epoch(this);
    private final List<String> members = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Request> open = new ArrayList<>();
    private final RunService runs;
    private final CollectiveCalls calls;
    private final LeaderService leader;

    private record Request(String node, NodeVerb verb, Promise<Object> promise) {}

    Node(String name) {
      this.name = name;
      for (int i = 1; i <= NODES; i++) {
        members.add("n" + i);
      }
      runs = new RunService(loop, this, this, epoch, new Prefixes(loop, name));
      calls = new CollectiveCalls(loop, name, runs,
          Map.of(Step.FINALIZE, new RestartService("", null, null, new CompletedNames())::finish));
      leader = new LeaderService(loop, this, this, epoch, numbers);
    }

    RunService runs() {
      return runs;
    }

    CollectiveCalls calls() {
      return calls;
    }

    private void hearsOfLoss(String lost) {
      members.remove(lost);
      NodeInfo info = info(lost);
      listeners.forEach(listener -> listener.left(info));
      failOpen(request -> request.node().equals(lost), Fault.NODE_LOST);
    }

    private void failOpen(Predicate<Request> which, Fault fault) {
      List.copyOf(open).stream().filter(which).forEach(request ->
          request.promise().tryFail(new ScrException(fault, "node " + request.node() + " does not answer")));
    }

    private static NodeInfo info(String node) {
      return new NodeInfo(node, "host", "127.0.0.1", 1);
    }

    @Override
    public NodeInfo self() {
      return info(name);
    }

    @Override
    public List<NodeInfo> nodes() {
      return members.stream().map(Node::info).toList();
    }

    @Override
    public void listen(Listener listener) {
      listeners.add(listener);
    }

    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return send(node, verb, () -> true, request).map(answer::cast);
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      String mine = epoch.text(epoch.own());
      return send(node, verb, () -> {
        nodes.get(node).epoch.admit(mine);
        return true;
      }, request).map(answer::cast);
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      Promise<Object> promise = loop.promise();
      askLeader(verb, request, MOST_TRIES, promise);
      return promise.future().map(answer::cast);
    }

    private void askLeader(NodeVerb verb, Object request, int tries, Promise<Object> promise) {
      send(leader().name(), verb, () -> true, request).onComplete((reply, failure) -> {
        Fault fault = failure == null ? null : Fault.of(failure);
        if (tries > 0 && (fault == Fault.NOT_LEADER || fault == Fault.NODE_LOST)) {
          happens(new Pending(name, name, "asks again", () -> askLeader(verb, request, tries - 1, promise)));
        } else {
          promise.complete(reply, failure);
        }
      });
    }

    private Future<Object> send(String node, NodeVerb verb, BooleanSupplier admitted, Object message) {
      Request request = new Request(node, verb, loop.promise());
      if (!members.contains(node)) {
        return Future.failedFuture(new ScrException(Fault.NODE_LOST, "node " + node + " has left"));
      }
      open.add(request);
      happens(new Pending(name, node, String.valueOf(message), () -> Future.succeededFuture()
          .compose(_ -> admitted.getAsBoolean() ? nodes.get(node).handle(verb, message) : null)
          .onComplete((reply, failure) -> {
            String answer = failure == null ? String.valueOf(reply) : failure.getMessage();
            happens(new Pending(node, name, answer, () -> answered(request.promise(), reply, failure)));
          })));
      return request.promise().future().onComplete(_ -> open.remove(request));
    }

    private static void answered(Promise<Object> promise, Object reply, Throwable failure) {
      if (failure == null) {
        promise.tryComplete(reply);
      } else {
        promise.tryFail(failure);
      }
    }

    private Future<?> handle(NodeVerb verb, Object message) {
      return switch (verb) {
        case JOIN -> leader.join((JoinRun) message);
        case LOST -> leader.lost((LostRank) message);
        case GATHER -> leader.gather((GatherPart) message);
        case TAKEOVER -> runs.takeover((Takeover) message);
        case RUN_BEGIN -> runs.begin((RunInfo) message);
        case PULSE -> runs.pulse(0);
        case RUN_OVER -> runs.over((RunEnd) message);
        default -> throw new AssertionError("nobody asks for " + verb);
      };
    }

    @Override
    public void onlyLeader(String leads) {
      failOpen(request -> request.verb().isForLeader() && !request.node().equals(leads), Fault.NOT_LEADER);
    }
  }
}
