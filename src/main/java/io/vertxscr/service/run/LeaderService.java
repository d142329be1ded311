package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.UserSettings;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.protocol.node.run.JoinRefusal;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What the oldest node does for all: collects the ranks of a new run, has its checkpoint restored, combines the parts
 * of every gather, ends the run when a rank or node is lost. Keeps nothing that it could not ask the nodes for.
 *
 * <pre>
 *   no run --JOIN--> forming --all here--> restoring --RUN_BEGIN to all--> active --FINALIZE | lost--> no run
 *                       |                      |
 *                       +------ lost ----------+--> RUN_OVER to all --> no run
 * </pre>
 *
 * On the node's loop only.
 */
public final class LeaderService implements Membership.Listener {
  /** How long ranks are waited for once a node has left that may have had them; far above what a start takes. */
  private static final long LOSS_GRACE_MS = 60_000;
  /** How long after the end of a run the loss of a node may have ended it: ranks may notice sooner than the cluster. */
  private static final long LOSS_SHOWS_MS = 1_000;
  /** Numbers of forming runs begin anew with each leadership, above all earlier ones. */
  private static final int EPOCH_SHIFT = 24;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Epoch epoch;
  private final LeaderActions actions;
  private Future<Void> tookOver;
  private FormingRun forming;
  private long formingNumber;
  /** An earlier leader that was lost with ranks that it had noted, so that what it had not noted never begins. */
  private Optional<String> failedLeader = Optional.empty();
  /** Whether that was a short while ago: ranks that come now may be late ones of those. */
  private boolean late;
  /** Whether a lost leader had begun a run on some nodes only: ranks that had asked it belong to that run. */
  private boolean partlyBegun;
  private ActiveRun active;
  private ActiveRun finished;
  private ScrException lastOver;
  /** The run that has just ended before its time. */
  private Optional<RunInfo> ended = Optional.empty();
  /** The last run that has begun. */
  private Optional<RunInfo> last = Optional.empty();
  private Future<Void> excused = Future.succeededFuture();

  /** Leads whenever its node is the oldest. */
  public LeaderService(Loop loop, NodeBus bus, Membership membership, Epoch epoch, LeaderActions actions) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.epoch = epoch;
    this.actions = actions;
    membership.listen(this);
  }

  /** Becomes the leader if it is this node's turn; every call of a node to its leader comes through here first. */
  private Future<Void> lead() {
    if (!membership.isLeader()) {
      return Future.failedFuture(new ScrException(Fault.NOT_LEADER,
          "node " + membership.self().name() + " is not the leader, " + membership.leader().name() + " is"));
    }
    if (tookOver != null) {
      return tookOver;
    }
    Future<Void> mine = takeOver();
    tookOver = mine;
    mine.onFailure(_ -> tookOver = null);                 // at once, where the bus of a node that ends refuses
    return mine;
  }

  /**
   * The node serves from now on. If it leads and holds all files of a dataset that must be flushed, it goes on with
   * that though nobody comes, goes or calls; else those who come, or a run, will have it lead.
   */
  public void begin(Collection<DatasetRecord> held) {
    boolean hasAll = held.stream().anyMatch(
        record -> record.flush() == FlushState.WANTED && record.ranks().size() == record.origin().ranks());
    if (hasAll && membership.isLeader()) {
      lead();                                             // if it fails, whoever comes next has it try again
    }
  }

  private Future<Void> takeOver() {
    boolean anotherHasLed = epoch.value() > 0;            // whoever led since this node is a member has commanded it
    Takeover hello = new Takeover(membership.self().name(), epoch.value() + 1);
    Map<String, NodeRunState> states = new TreeMap<>();
    List<Future<NodeRunState>> asked = membership.nodes().stream()
        .map(node -> bus.ask(node.name(), NodeVerb.TAKEOVER, hello, NodeRunState.class)
            .recover(gone -> membership.find(node.name()).isPresent() ? Future.failedFuture(gone)
                : Future.succeededFuture(NodeRunState.GONE))
            .onSuccess(state -> states.put(node.name(), state)))
        .toList();
    return Future.all(asked).map(_ -> {
      epoch.raise(1 + states.values().stream().mapToLong(NodeRunState::epoch).max().orElse(0));
      if (anotherHasLed) {
        actions.tookOver(states.size() + 1);              // the one that led before among them
      }
      failedLeader = states.values().stream().flatMap(state -> state.failedLeader().stream()).findFirst();
      late = failedLeader.isPresent();
      loop.after(LOSS_GRACE_MS, () -> late = false);
      adopt(states);
      states.values().stream().flatMap(state -> state.endedByNodeLoss().stream())
          .max(Comparator.comparingLong(RunInfo::run)).ifPresent(this::excuse);
      actions.resume();
      return null;
    });
  }

  /**
   * Goes on with the run of an earlier leader. If that one was lost while it told of the begin or the end of the run,
   * some node does not take part in it: nobody must wait for that node.
   */
  private void adopt(Map<String, NodeRunState> states) {
    Optional<NodeRunState> newest = states.values().stream().filter(state -> state.run().isPresent())
        .max(Comparator.comparingLong((NodeRunState state) -> state.run().get().run())
            .thenComparingLong(NodeRunState::number));
    if (newest.isEmpty()) {
      return;
    }
    long run = newest.get().run().get().run();
    List<NodeRunState> sameRun = states.values().stream().filter(state -> state.isIn(run)).toList();
    if (sameRun.stream().allMatch(NodeRunState::ended)) {
      return;
    }
    partlyBegun = sameRun.size() < newest.get().run().get().map().byNode().size();
    active = ActiveRun.adopted(loop, newest.get(), sameRun.stream().anyMatch(NodeRunState::ended));
    last = Optional.of(active.info());
    endIfFinalized();                                     // who has heard so may be in the next run already
    checkNodes();
    for (Map.Entry<String, NodeRunState> state : states.entrySet()) {
      if (active != null && active.nodes().contains(state.getKey()) && !state.getValue().isIn(run)) {
        over(new ScrException(Fault.NODE_LOST, "the leader of run " + run + " was lost while it began or ended the run:"
            + " node " + state.getKey() + " does not take part in it"));
      }
    }
    if (active != null) {
      actions.open(active.info(), false);
    }
  }

  /** Ends the run that is on at once: all who wait and all who call are told HALTED. */
  public void halt(String why) {
    if (active != null) {
      over(new ScrException(Fault.HALTED, "run " + active.info().run() + " ends now: " + why));
    }
  }

  /** Notes the ranks that have arrived on a node. Where one may not join, nobody is left waiting for it. */
  public Future<RunJoined> join(JoinRun join) {
    return lead().map(_ -> {
      checkNodes();                                       // who joins may have heard of a loss before this node has
      refuseStranger(join.node());
      refuseSecondRun(join);
      boolean itsLeaderIsGone = membership.find(join.leader()).isEmpty();
      if (itsLeaderIsGone && (failedLeader.isPresent() || partlyBegun)) {
        return refused(join);
      }
      if (forming == null) {
        formingNumber = Math.max(formingNumber, epoch.value() << EPOCH_SHIFT) + 1;
        forming = new FormingRun(loop, formingNumber, join, this::over);
        if (late) {
          forming.limit(failedLeader.orElseThrow(), LOSS_GRACE_MS);
        }
      }
      boolean begins = !forming.isComplete();             // else who comes now is of another run
      RunJoined joined = new RunJoined(membership.self().name(), forming.number(), forming.join(join));
      if (begins && !joined.refusals().isEmpty()) {
        JoinRefusal refusal = joined.refusals().getFirst();
        over(new ScrException(Fault.of(refusal.fault()), refusal.message()));
      } else if (begins) {
        if (itsLeaderIsGone) {
          forming.limit(join.leader(), LOSS_GRACE_MS);
        }
        forming.complete().ifPresent(this::begin);
      }
      return joined;
    });
  }

  /**
   * An earlier leader had noted these ranks, or not; others that it had noted have heard of its loss: waiting here,
   * they would wait for ever. Not a failure of the message, which would be sent again.
   */
  private RunJoined refused(JoinRun join) {
    ScrException why = new ScrException(Fault.NODE_LOST,
        "node " + join.leader() + ", which was bringing the ranks of the run together, has left the cluster");
    if (forming != null && !forming.isComplete()) {
      over(why);
    }
    return new RunJoined(membership.self().name(), 0, join.here().stream()
        .map(rank -> new JoinRefusal(rank, why.fault().number(), why.getMessage())).toList());
  }

  /** Its first message may overtake the news that it is a member: taken for lost, its ranks would hear of nothing. */
  private void refuseStranger(String node) {
    if (membership.find(node).isEmpty()) {
      throw new ScrException(Fault.NOT_LEADER, "node " + node + " is no member here yet, or not any more");
    }
  }

  private void refuseSecondRun(JoinRun join) {
    if (active != null) {
      throw new ScrException(Fault.RUN_IN_PROGRESS, "run " + active.info().run() + " (" + active.info().map().size()
          + " ranks, prefix " + active.info().prefix() + ") is in progress; node " + join.node()
          + " has ranks of another one. One run at a time");
    }
  }

  private void begin(RankMap map) {
    FormingRun mine = forming;
    UserSettings user = new UserSettings(
        Optional.of(loop.files().path(mine.prefix())), mine.configured().environment(), mine.configured().calls());
    actions.configure(user, map)
        .compose(settings -> mine != forming ? Future.failedFuture(lastOver)
            : actions.restore(mine.prefix(), mine.jobName(), map, settings))
        .compose(info -> mine != forming ? Future.<Void>failedFuture(lastOver) : announce(info))
        .onFailure(failure -> {
          if (mine == forming) {
            over(asScr(failure));
          }
        });
  }

  private Future<Void> announce(RunInfo info) {
    ActiveRun begun = new ActiveRun(loop, info);
    active = begun;
    last = Optional.of(info);
    forming.end();
    forming = null;
    failedLeader = Optional.empty();
    late = false;
    partlyBegun = false;
    actions.open(info, true);
    List<Future<Ack>> told = active.nodes().stream()
        .map(node -> bus.command(node, NodeVerb.RUN_BEGIN, info, Ack.class)).toList();
    return Future.all(told).<Void>mapEmpty().onSuccess(_ -> actions.begun(info)).recover(failure -> {
      if (active == begun) {                              // a rank has gone meanwhile: nobody must wait for it
        over(asScr(failure));
      }
      return Future.succeededFuture();
    });
  }

  /** Notes that a rank's process is gone, or may not join: its run is over for all. */
  public Future<Ack> lost(LostRank lost) {
    return lead().map(_ -> {
      boolean concerns = active != null ? active.info().run() == lost.run()
          : forming != null && forming.concerns(lost);
      if (concerns) {
        over(new ScrException(Fault.of(lost.fault()), lost.message()));
      }
      return Ack.ACK;
    });
  }

  /** A node's part of a gather; completes when all parts are here and the result is known. */
  public Future<GatherResult> gather(GatherPart part) {
    return lead().compose(_ -> {
      ActiveRun run = active != null ? active : finished;
      if (run == null || run.info().run() != part.run()) {
        throw lastOver != null ? lastOver : new ScrException(Fault.WRONG_STATE, "run " + part.run() + " is not active");
      }
      return run.arrive(part, actions::handler, actions::operations).onSuccess(_ -> endIfFinalized());
    });
  }

  /** Does something that only the leader of this run may do; fails with why the run is not active. */
  public <T> Future<T> inRun(long run, Supplier<Future<T>> action) {
    return lead().compose(_ -> {
      if (active == null || active.info().run() != run) {
        throw lastOver != null ? lastOver : new ScrException(Fault.WRONG_STATE, "run " + run + " is not active");
      }
      return action.get();
    });
  }

  /** Does something that only the leader may do, run or no run. */
  public <T> Future<T> leading(Supplier<Future<T>> action) {
    return lead().compose(_ -> action.get());
  }

  private void endIfFinalized() {
    if (active != null && active.finalized()) {
      finished = active;                                  // a node that has not heard so may ask again
      active = null;
      lastOver = new ScrException(Fault.WRONG_STATE, "the run is over: it has finalized");
    }
  }

  /** Whom the run waits for, in words; the list names nodes, or ranks while the run forms. */
  public Future<OpenWaits> waits() {
    return lead().map(_ -> {
      if (forming != null) {
        return forming.view();
      }
      return active == null ? new OpenWaits("no run", List.of()) : active.waits();
    }).map(waits -> waits.with(actions.remarks(), actions.flushes()));
  }

  private void over(ScrException cause) {
    Collection<String> nodes = active != null ? active.nodes() : forming.nodes();
    long run = active != null ? active.info().run() : 0;
    lastOver = cause;
    if (active != null) {
      active.fail(cause);
      noteEnd(active.info(), cause);
    }
    active = null;
    if (forming != null) {
      forming.end();
      forming = null;
    }
    RunEnd over = new RunEnd(run, run == 0 ? formingNumber : 0, cause.fault().number(), cause.getMessage());
    for (String node : nodes) {
      // A node that is gone needs not be told; all others are asked until they have answered.
      bus.command(node, NodeVerb.RUN_OVER, over, Ack.class).recover(_ -> Future.succeededFuture(Ack.ACK));
    }
    actions.over(run, cause);
  }

  private void excuse(RunInfo info) {
    excused = actions.excused(info);
  }

  /** Who has started the program says that a signal from outside has ended it, or will: its run has not failed. */
  public void endedFromOutside() {
    if (membership.isLeader()) {
      last.ifPresent(this::excuse);
    }
  }

  /** This node stops: a run that is on ends with it. Completes when what is known of its end is noted. */
  public Future<Void> stopping() {
    if (active != null && membership.isLeader()) {
      excuse(active.info());
    }
    return excused;
  }

  /** Whether a node was lost may show only now, or soon: a program dies of it in less time than the cluster needs. */
  private void noteEnd(RunInfo info, ScrException cause) {
    if (cause.fault() == Fault.NODE_LOST || cause.fault() == Fault.HALTED) {
      excuse(info);
      return;
    }
    ended = Optional.of(info);
    loop.after(LOSS_SHOWS_MS, () -> ended = ended.filter(run -> run != info));
  }

  private void checkNodes() {
    Collection<String> nodes = active != null ? active.nodes() : forming != null ? forming.nodes() : List.<String>of();
    for (String node : nodes) {
      if (membership.find(node).isEmpty()) {
        over(new ScrException(Fault.NODE_LOST, "node " + node + " has left the cluster"));
        return;
      }
    }
  }

  private static ScrException asScr(Throwable failure) {
    return failure instanceof ScrException e ? e : new ScrException(Fault.INTERNAL, failure.toString(), failure);
  }

  @Override
  public void joined(NodeInfo node) {
    loop.later(() -> {
      if (membership.isLeader()) {
        lead().onSuccess(_ -> actions.resume());
      }
    });
  }

  @Override
  public void left(NodeInfo node) {
    loop.later(() -> {
      ended.filter(run -> run.map().byNode().containsKey(node.name())).ifPresent(this::excuse);
      checkNodes();
      if (forming != null) {
        forming.limit(node.name(), LOSS_GRACE_MS);
      }
      if (membership.isLeader()) {
        lead().onSuccess(_ -> actions.resume());          // what it had must perhaps be rebuilt before its flush
      }
    });
  }
}
