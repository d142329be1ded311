package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Plural;
import io.vertxscr.model.Release;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.ClientClosed;
import io.vertxscr.protocol.app.AbortRequest;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.InitWaitRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.DrainMark;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Prefixes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Life of a run on one node: ranks arrive, the run begins, a rank or node is lost, the run is over. On the node's loop.
 */
public final class RunService implements Membership.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RunService.class);
  private static final int RANKS_NAMED = 16;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Epoch epoch;
  private final Prefixes prefixes;
  private final ArrivingRanks arriving;
  private final InitWaits initWaits;
  private final List<Consumer<LocalRun>> endListeners = new ArrayList<>();
  private Consumer<LocalRun> replaced = _ -> {};
  private Consumer<LocalRun> deserted = _ -> {};
  private Runnable arrivals = () -> {};
  private Supplier<List<DatasetSynced>> synced = List::of;
  private boolean stopping;
  /** Whether the node is marked to be drained. Forgotten when the daemon ends. */
  private boolean drained;
  private LocalRun run;
  /** The last loss of a node of this run, whether it was on by then or not. */
  private Optional<LostRank> lostNode = Optional.empty();

  /** Serves a node. */
  public RunService(Loop loop, NodeBus bus, Membership membership, Epoch epoch, Prefixes prefixes) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.epoch = epoch;
    this.prefixes = prefixes;
    this.arriving = new ArrivingRanks(loop, bus, membership);
    this.initWaits = new InitWaits(bus, arriving);
    membership.listen(this);
  }

  /** Calls the listener with the run, which says why, when it ends before its time. */
  public void onOver(Consumer<LocalRun> listener) {
    endListeners.add(listener);
  }

  /** Calls the listener when ranks of the next run arrive. */
  public void onArriving(Runnable listener) {
    arrivals = listener;
  }

  /** Has the next leader told what the last one has answered. */
  public void tellSynced(Supplier<List<DatasetSynced>> answered) {
    synced = answered;
  }

  /** Calls the listener with a run that is over when none of its processes is left here. */
  public void onDeserted(Consumer<LocalRun> listener) {
    deserted = listener;
  }

  /** Calls the listener with the last run when the next one begins. */
  public void onReplaced(Consumer<LocalRun> listener) {
    replaced = listener;
  }

  /** The run that is, or was last, on this node. */
  public Optional<LocalRun> run() {
    return Optional.ofNullable(run);
  }

  /** Whether no rank has come to this node yet. */
  public boolean isUnused() {
    return run == null && arriving.isEmpty();
  }

  /** Whether no rank here needs the node now: they compute, or there are none. */
  public boolean isIdle() {
    return arriving.isEmpty() && (run == null || run.isIdle());
  }

  /** The nodes of the run that is, or was last, which are not in the cluster now. */
  public List<String> lostNodes() {
    return run == null ? List.of() : run.info().map().byNode().keySet().stream()
        .filter(node -> membership.find(node).isEmpty()).toList();
  }

  /** A rank arrives; completes when the run begins. */
  public Future<InitReply> init(InitRequest request, String client) {
    if (stopping) {
      throw arriving.refused(new ScrException(
          Fault.STOPPING, "rank " + request.rank() + " cannot begin: node " + self() + " is stopping"));
    }
    if (run != null && !run.isOver() && !run.isFinished()) {
      return again(request, client);
    }
    if (drained) {
      throw arriving.refused(new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " cannot begin: node "
          + self() + " is drained, to be shut down; scr drain --cancel " + self() + " takes that back"));
    }
    prefixes.admit(request.prefix());
    arrivals.run();
    return arriving.arrive(request, client);
  }

  /** Says what a rank that has called init waits for. */
  public Future<DoneReply> initWait(InitWaitRequest request, String client) {
    return initWaits.ask(request, client);
  }

  private Future<InitReply> again(InitRequest request, String client) {
    for (LocalRun.RankSession session : run.sessions()) {
      if (session.rank() == request.rank()) {
        if (session.client().equals(client)) {
          return Future.succeededFuture(reply(run.info(), request.rank()));
        }
        throw new ScrException(Fault.DUPLICATE_RANK, "rank " + request.rank() + " of run " + run.info().run()
            + " lives on node " + self() + " already");
      }
    }
    throw new ScrException(Fault.RUN_IN_PROGRESS, "run " + run.info().run() + " (" + run.info().map().size()
        + " ranks, prefix " + run.info().prefix() + ") is in progress on node " + self() + "; one run at a time");
  }

  private InitReply reply(RunInfo info, int rank) {
    return new InitReply(info.run(), self(), InitReply.VERSION, Release.NAME,
        Optional.of(info.found().remarks()).filter(remarks -> rank == 0 && !remarks.isEmpty()));
  }

  private String self() {
    return membership.self().name();
  }

  /** The rank whose configuration counts. @throws ScrException RANK_LOST if it does not wait here */
  InitRequest first() {
    return arriving.first();
  }

  /** The leader says that the run has begun. */
  public Future<Ack> begin(RunInfo info) {
    if (run != null && run.info().run() == info.run()) {
      return Future.succeededFuture(Ack.ACK);
    }
    prefixes.open(info.prefix());                         // of its ranks here, not whatever the message says
    Map<Integer, String> clients = arriving.clients(info.map().ranksOn(self()));
    if (run != null) {
      replaced.accept(run);
    }
    run = new LocalRun(info, clients, bus, self(), this::nodeLost);
    lostNode = Optional.empty();
    LOG.info("run {} begins: ranks {} of {} here, prefix {}", info.run(), some(clients.keySet()),
        info.map().size(), info.prefix());
    arriving.begin(info.run(), clients.keySet(), rank -> reply(info, rank));
    return Future.succeededFuture(Ack.ACK);
  }

  /** The leader says that the run is over for everybody. */
  public Future<Ack> over(RunEnd over) {
    ScrException cause = new ScrException(Fault.of(over.fault()), over.message());
    if (over.run() == 0) {
      arriving.over(over);
    } else if (over.run() > (run == null ? 0 : run.info().run())) {
      arriving.fail(cause);                               // it never began here
    } else if (run.info().run() == over.run()) {
      end(cause);
    }
    return Future.succeededFuture(Ack.ACK);
  }

  /** A collective step has failed because a node is lost: the run is over. */
  private void nodeLost(LocalRun where, ScrException cause) {
    if (where == run) {
      end(cause);
    }
  }

  private void end(ScrException cause) {
    if (!run.isOver() && !run.isFinished()) {
      LOG.warn("run {} is over: {}", run.info().run(), cause.getMessage());
      run.end(cause);
      endListeners.forEach(listener -> listener.accept(run));
      tellIfDeserted();
    }
  }

  /**
   * The leader marks this node to be drained, or takes that back. From then on it takes no new run.
   *
   * @throws ScrException WRONG_STATE if ranks live here, unless the run is waited for, or wait for theirs to begin
   */
  public Future<Ack> drain(DrainMark mark) {
    if (mark.drained() && !arriving.isEmpty()) {
      throw new ScrException(Fault.WRONG_STATE, "ranks " + some(arriving.ranks()) + " wait on node " + self()
          + " for their run to begin");
    }
    if (mark.drained() && !mark.afterRun() && busy()) {
      throw new ScrException(Fault.WRONG_STATE, "run " + run.info().run() + " has ranks "
          + some(run.info().map().ranksOn(self())) + " on node " + self()
          + ": halt it first, or have the node drained when it has ended (scr drain --after-run)");
    }
    drained = mark.drained();
    return Future.succeededFuture(Ack.ACK);
  }

  public boolean isDrained() {
    return drained;
  }

  /** Returns this node's state for a new leader. */
  public Future<NodeRunState> takeover(Takeover takeover) {
    String leader = membership.leader().name();
    if (!leader.equals(takeover.leader())) {              // one that was cut off may not know yet that it leads nobody
      throw new ScrException(Fault.NOT_LEADER,
          "node " + takeover.leader() + " does not lead as node " + self() + " sees it: " + leader + " does");
    }
    epoch.follow(takeover.epoch(), takeover.leadership());
    bus.onlyLeader(takeover.leader());
    Optional<String> failedLeader = arriving.takenOver(takeover.leader());
    lostNode.ifPresent(arriving::tell);                   // the last leader alone may have heard of it
    Optional<LocalRun> last = Optional.ofNullable(run);
    Optional<RunInfo> endedByNodeLoss = last
        .filter(over -> over.over().filter(cause -> cause.fault() == Fault.NODE_LOST).isPresent()).map(LocalRun::info);
    long newestRun = last.map(mine -> mine.info().run()).orElse(0L);
    return Future.succeededFuture(last.filter(mine -> !mine.isOver())
        .map(mine -> new NodeRunState(epoch.value(), Optional.of(mine.info()), mine.gathers(), mine.lastGathered(),
            mine.isFinished(), failedLeader, endedByNodeLoss, newestRun, drained, synced.get(), mine.bypassing()))
        .orElseGet(() -> new NodeRunState(
            epoch.value(), Optional.empty(), 0, Optional.empty(), false, failedLeader, endedByNodeLoss, newestRun,
            drained, synced.get(), Optional.empty())));
  }

  /** Tells a node that waits for this one that its loop turns, and what it is about. */
  public Future<Pulse> pulse(long storageSilentMs) {
    LocalRun newest = run;
    return Future.succeededFuture(newest == null
        ? new Pulse(storageSilentMs, 0, arriving.ranks(), Optional.empty())
        : new Pulse(storageSilentMs, newest.isOver() ? 0 : newest.info().run(), arriving.ranks(),
            newest.over().map(cause -> lost(newest.info(), cause))));
  }

  /** A client that is a member of the cluster says that it has ended. */
  public Future<Ack> closed(ClientClosed closed) {
    connectionClosed(closed.client());
    return Future.succeededFuture(Ack.ACK);
  }

  /** A connection of an application is gone: its ranks that have not finalized are lost. */
  public void connectionClosed(String client) {
    if (run != null) {
      run.closed(client);
    }
    lose(client::equals);
    tellIfDeserted();
  }

  private void tellIfDeserted() {
    if (run != null && run.isDeserted()) {
      deserted.accept(run);
    }
  }

  /**
   * A rank cannot go on. Often that is because another one, or a node, has ended, which is told within a moment: then
   * that is the cause, else this.
   *
   * @return when the run is over
   */
  public Future<DoneReply> abort(AbortRequest request, String client) {
    LocalRun mine = run().orElseThrow(() -> new ScrException(Fault.WRONG_STATE, "no run has begun on node " + self()));
    LocalRun.RankSession session = mine.session(request.run(), request.rank(), client);
    if (session.state().phase() == SessionState.SessionPhase.ENDED) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " has finalized");
    }
    Promise<DoneReply> over = loop.promise();
    mine.abort(session, over);
    loop.after(Limits.ABORT_MS, () -> {
      if (!mine.isOver() && mine == run) {
        lost(session, "cannot go on: " + request.cause());
      }
      over.tryComplete(new DoneReply());
    });
    return over.future();
  }

  private void lose(Predicate<String> client) {
    arriving.lose(client);
    if (run != null && !run.isOver()) {
      for (LocalRun.RankSession session : run.sessions()) {
        if (client.test(session.client()) && session.state().phase() != SessionState.SessionPhase.ENDED
            && !run.isAborting(session)) {
          lost(session, "is lost: its connection ended without finalize");
        }
      }
    }
  }

  private void lost(LocalRun.RankSession session, String how) {
    ScrException lost =
        new ScrException(Fault.RANK_LOST, "rank " + session.rank() + " on node " + self() + " " + how);
    arriving.tell(lost(run.info(), lost));
    end(lost);
  }

  /** This node dies: all who wait here hear why. */
  public void killed(ScrException cause) {
    stopping = true;
    arriving.fail(cause);
    if (run != null) {
      end(cause);
    }
  }

  /** Accepts no new run; an active run continues. */
  public void stopping() {
    stopping = true;
  }

  /** Whether ranks here wait for their restart, or write or read a dataset. */
  public boolean isInPhase() {
    return !arriving.isEmpty() || (run != null && !run.isOver() && !run.isFinished() && run.open() != null);
  }

  /** Whether ranks of a run are alive here. */
  boolean busy() {
    return !arriving.isEmpty() || (run != null && !run.isOver() && !run.isFinished());
  }

  @Override
  public void joined(NodeInfo node) {
    // Ranks tell us of themselves.
  }

  @Override
  public void left(NodeInfo node) {
    loop.later(() -> {
      if (run != null && run.info().map().nodes().contains(node.name())) {
        List<Integer> ranks = run.info().map().ranksOn(node.name());
        ScrException lost = new ScrException(Fault.NODE_LOST, "node " + node.name()
            + (ranks.size() == 1 ? " (rank " : " (ranks ") + some(ranks) + ") has left the cluster");
        end(lost);
        // Its view may be ahead of the leader's, or be the only one: the others would wait for the ranks of this node,
        // or where the run is over, for its sync.
        lostNode = Optional.of(lost(run.info(), lost));
        lostNode.ifPresent(arriving::tell);
      }
    });
  }

  private static LostRank lost(RunInfo run, ScrException cause) {
    return new LostRank(run.run(), 0, cause.fault().number(), cause.getMessage());
  }

  /** There may be a thousand of them. */
  private static String some(Collection<Integer> ranks) {
    return Plural.list(ranks.stream().sorted().toList(), RANKS_NAMED);
  }

  @Override
  public void applicationLeft(String id) {
    loop.later(() -> lose(client -> Addresses.isClientOf(client, id)));
  }
}
