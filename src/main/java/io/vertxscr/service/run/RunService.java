package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.SessionState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Release;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.ClientClosed;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Configured;
import io.vertxscr.protocol.node.Running.Join;
import io.vertxscr.protocol.node.Running.Joined;
import io.vertxscr.protocol.node.Running.Lost;
import io.vertxscr.protocol.node.Running.Over;
import io.vertxscr.protocol.node.Running.Refusal;
import io.vertxscr.protocol.node.Running.State;
import io.vertxscr.protocol.node.Running.Takeover;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a run on one node: ranks arrive, the run begins, a rank or node is lost, the run is over. On the node's
 * loop.
 */
public final class RunService implements Membership.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RunService.class);

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Epoch epoch;
  private final SortedMap<Integer, Arriving> arriving = new TreeMap<>();
  private final List<Consumer<ScrException>> endListeners = new ArrayList<>();
  private Consumer<LocalRun> replaced = _ -> {};
  private Over lastOver = new Over(0, 0, 0, "");
  /** The leader that knows of arriving ranks; empty if none does. */
  private String collector = "";
  private boolean joining;
  private boolean stopping;
  private LocalRun run;

  /** A rank that waits for its run to begin; the number of the forming run is 0 until the leader knows of the rank. */
  private record Arriving(InitRequest request, String client, Promise<InitReply> promise, long forming) {
    Arriving in(long number) {
      return new Arriving(request, client, promise, number);
    }
  }

  /** Serves a node. */
  public RunService(Loop loop, NodeBus bus, Membership membership, Epoch epoch) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.epoch = epoch;
    membership.listen(this);
  }

  /** Calls the listener when a run ends before its time. */
  public void onOver(Consumer<ScrException> listener) {
    endListeners.add(listener);
  }

  /** Calls the listener with the last run when the next one begins. */
  public void onReplaced(Consumer<LocalRun> listener) {
    replaced = listener;
  }

  /** The run that is, or was last, on this node. */
  Optional<LocalRun> run() {
    return Optional.ofNullable(run);
  }

  /** A rank arrives; completes when the run begins. */
  public Future<InitReply> init(InitRequest request, String client) {
    if (stopping) {
      throw new ScrException(Fault.STOPPING, "node " + self() + " is stopping");
    }
    if (run != null && !run.isOver() && !ended(run)) {
      return again(request, client);
    }
    Arriving already = arriving.get(request.rank());
    if (already != null) {
      if (already.client().equals(client)) {
        return already.promise().future();
      }
      throw new ScrException(Fault.DUPLICATE_RANK, "rank " + request.rank() + " has arrived on node " + self()
          + " already, over another connection");
    }
    Arriving rank = new Arriving(request, client, loop.promise(), 0);
    checkAgainstOthers(request);
    arriving.put(request.rank(), rank);
    joinSoon();
    return rank.promise().future();
  }

  private void checkAgainstOthers(InitRequest request) {
    if (arriving.isEmpty()) {
      return;
    }
    InitRequest first = arriving.firstEntry().getValue().request();
    if (first.ranks() != request.ranks() || !first.prefix().equals(request.prefix())
        || !first.jobName().equals(request.jobName())) {
      throw new ScrException(Fault.RANKS_DISAGREE, "rank " + request.rank() + " on node " + self() + " gives size "
          + request.ranks() + ", prefix " + request.prefix() + ", job name '" + request.jobName() + "'; rank "
          + first.rank() + " gave " + first.ranks() + ", " + first.prefix() + ", '" + first.jobName() + "'");
    }
  }

  private Future<InitReply> again(InitRequest request, String client) {
    for (LocalRun.RankSession session : run.sessions()) {
      if (session.rank() == request.rank()) {
        if (session.client().equals(client)) {
          return Future.succeededFuture(reply(run.info()));
        }
        throw new ScrException(Fault.DUPLICATE_RANK, "rank " + request.rank() + " of run " + run.info().run()
            + " lives on node " + self() + " already");
      }
    }
    throw new ScrException(Fault.RUN_IN_PROGRESS, "run " + run.info().run() + " (" + run.info().map().size()
        + " ranks, prefix " + run.info().prefix() + ") is in progress on node " + self() + "; one run at a time");
  }

  private static boolean ended(LocalRun run) {
    return run.sessions().stream().allMatch(s -> s.state().phase() == SessionState.Phase.ENDED);
  }

  private InitReply reply(RunInfo info) {
    return new InitReply(info.run(), self(), InitReply.VERSION, Release.NAME);
  }

  private String self() {
    return membership.self().name();
  }

  /** Many ranks arrive at about the same time: one message tells the leader of all that are here. */
  private void joinSoon() {
    if (!joining) {
      joining = true;
      loop.later(this::join);
    }
  }

  private void join() {
    if (arriving.isEmpty()) {
      joining = false;
      return;
    }
    InitRequest first = arriving.firstEntry().getValue().request();
    Join join = new Join(self(), membership.leader().name(), first.prefix(), first.jobName(), first.ranks(),
        List.copyOf(arriving.keySet()), first.rank() == 0 ? Optional.of(configured(first)) : Optional.empty());
    Map<Integer, Arriving> sent = Map.copyOf(arriving);
    bus.askLeader(NodeVerb.JOIN, join, Joined.class).onComplete((joined, failure) -> {
      joining = false;
      if (failure != null) {
        failArriving(failure);
        return;
      }
      for (Refusal refusal : joined.refusals()) {
        Arriving refused = arriving.remove(refusal.rank());
        if (refused != null) {
          refused.promise().tryFail(new ScrException(Fault.of(refusal.fault()), refusal.message()));
        }
      }
      // The answer may come behind the begin of the run: the ranks of the next one have nothing to do with this leader.
      collector = arriving.isEmpty() ? "" : joined.leader();
      sent.forEach((rank, arrived) -> arriving.replace(rank, arrived, arrived.in(joined.forming())));
      if (joined.forming() <= lastOver.forming()) {       // overtaken by the news that it is over
        over(lastOver);
      }
      if (arriving.values().stream().anyMatch(rank -> rank.forming() == 0)) {
        joinSoon();
      }
    });
  }

  private static Configured configured(InitRequest rank) {
    return new Configured(rank.environment().orElse(Map.of()), rank.config().orElse(List.of()));
  }

  private void failArriving(Throwable cause) {
    failArriving(_ -> true, cause);
  }

  private void failArriving(Predicate<Arriving> which, Throwable cause) {
    List<Arriving> all = arriving.values().stream().filter(which).toList();
    arriving.values().removeIf(which);
    collector = arriving.isEmpty() ? "" : collector;
    all.forEach(rank -> rank.promise().tryFail(cause));
  }

  /** The leader says that the run has begun. */
  public Future<Ack> begin(RunInfo info) {
    if (run != null && run.info().run() == info.run()) {
      return Future.succeededFuture(Ack.ACK);
    }
    Map<Integer, String> clients = new HashMap<>();
    for (int rank : info.map().ranksOn(self())) {
      Arriving here = arriving.get(rank);
      if (here == null) {
        throw new ScrException(Fault.RANK_LOST, "rank " + rank + " on node " + self()
            + " is lost: its connection ended before the run began");
      }
      clients.put(rank, here.client());
    }
    if (run != null) {
      replaced.accept(run);
    }
    run = new LocalRun(info, clients);
    collector = "";
    LOG.info("run {} begins: ranks {} of {} here, prefix {}", info.run(), clients.keySet(), info.map().size(),
        info.prefix());
    clients.keySet().forEach(rank -> arriving.remove(rank).promise().tryComplete(reply(info)));
    return Future.succeededFuture(Ack.ACK);
  }

  /** The leader says that the run is over for everybody. */
  public Future<Ack> over(Over over) {
    ScrException cause = new ScrException(Fault.of(over.fault()), over.message());
    if (over.run() == 0) {
      lastOver = over;
      failArriving(rank -> rank.forming() != 0 && rank.forming() <= over.forming(), cause);
    } else if (over.run() > (run == null ? 0 : run.info().run())) {
      failArriving(cause);                                // it never began here
    } else if (run.info().run() == over.run()) {
      end(cause);
    }
    return Future.succeededFuture(Ack.ACK);
  }

  private void end(ScrException cause) {
    if (!run.isOver() && !ended(run)) {
      LOG.warn("run {} is over: {}", run.info().run(), cause.getMessage());
      run.end(cause);
      endListeners.forEach(listener -> listener.accept(cause));
    }
  }

  /** What a new leader wants to know. */
  public Future<State> takeover(Takeover takeover) {
    epoch.raise(takeover.epoch());
    bus.onlyLeader(takeover.leader());
    if (!collector.isEmpty() && !collector.equals(takeover.leader())) {
      // It may have had ranks of its own, which nobody else knows of: nobody must wait for those.
      failArriving(new ScrException(Fault.NODE_LOST, "node " + collector
          + ", which was bringing the ranks of the run together, has left the cluster"));
    }
    if (!arriving.isEmpty()) {
      joinSoon();
    }
    return Future.succeededFuture(run == null || run.isOver()
        ? new State(epoch.value(), Optional.empty(), 0, Optional.empty(), false)
        : new State(epoch.value(), Optional.of(run.info()), run.gathers(), run.lastGathered(), ended(run)));
  }

  /** A client that is a member of the cluster says that it has ended. */
  public Future<Ack> closed(ClientClosed closed) {
    connectionClosed(closed.client());
    return Future.succeededFuture(Ack.ACK);
  }

  /** A connection of an application is gone: its ranks that have not finalized are lost. */
  public void connectionClosed(String client) {
    lose(client::equals);
  }

  private void lose(Predicate<String> client) {
    for (Arriving gone : arriving.values().stream().filter(a -> client.test(a.client())).toList()) {
      int rank = gone.request().rank();
      arriving.remove(rank);
      gone.promise().tryFail(new ScrException(Fault.RANK_LOST, "rank " + rank + " is lost"));
      tellLost(0, gone.forming(), rank);
    }
    if (run != null && !run.isOver()) {
      for (LocalRun.RankSession session : run.sessions()) {
        if (client.test(session.client()) && session.state().phase() != SessionState.Phase.ENDED) {
          tellLost(run.info().run(), 0, session.rank());
          end(new ScrException(Fault.RANK_LOST, "rank " + session.rank() + " on node " + self()
              + " is lost: its connection ended without finalize"));
        }
      }
    }
  }

  private void tellLost(long runNumber, long forming, int rank) {
    Lost lost = new Lost(runNumber, forming, self(), rank, "its connection ended without finalize");
    bus.askLeader(NodeVerb.LOST, lost, Ack.class)
        .onFailure(e -> LOG.warn("cannot tell the leader that rank {} is lost: {}", rank, e.getMessage()));
  }

  /** This node dies: all who wait here hear why. */
  public void killed(ScrException cause) {
    stopping = true;
    failArriving(cause);
    if (run != null) {
      end(cause);
    }
  }

  /** Takes no new run from now on; a run that is on goes on. */
  public void stopping() {
    stopping = true;
  }

  /** Whether ranks of a run are alive here. */
  boolean busy() {
    return !arriving.isEmpty() || (run != null && !run.isOver() && !ended(run));
  }

  @Override
  public void joined(NodeInfo node) {
    // Ranks tell us of themselves.
  }

  @Override
  public void left(NodeInfo node) {
    loop.later(() -> {
      if (run != null && !run.isOver() && run.info().map().nodes().contains(node.name())) {
        String ranks = run.info().map().ranksOn(node.name()).stream().limit(16).map(String::valueOf)
            .collect(Collectors.joining(", "));
        end(new ScrException(Fault.NODE_LOST, "node " + node.name() + " (ranks " + ranks + ") has left the cluster"));
      }
    });
  }

  @Override
  public void applicationLeft(String id) {
    loop.later(() -> lose(client -> Addresses.isClientOf(client, id)));
  }
}
