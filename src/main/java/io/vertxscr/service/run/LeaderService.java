package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.UserSettings;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainReply;
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
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the oldest node does for all. It collects the ranks of a new run, has its checkpoint restored, combines the
 * parts of every gather, ends the run when a rank or node is lost. Keeps nothing that it could not ask the nodes for.
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
  /**
   * How long ranks are waited for once a node has left that may have had them. That is far above what a start takes.
   */
  private static final long LOSS_GRACE_MS = 60_000;
  /** The same once a node is found to hang. */
  private static final long SILENCE_GRACE_MS = 20_000;
  /** So many looks at the loop lie between two at the nodes. */
  private static final int LOOKS_OF_WATCH = 5;
  /** What the members need, once a node goes on that stood still, to tell it who leads. */
  private static final long SETTLE_MS = 1_000;
  private static final long TRY_AGAIN_MS = 20;
  private static final int MOST_TRIES = 250;
  /** How long after the end of a run the loss of a node may have ended it. Ranks may notice sooner than the cluster. */
  private static final long LOSS_SHOWS_MS = 1_000;
  /** Numbers of forming runs begin again with each leadership, above all earlier ones. */
  private static final int EPOCH_SHIFT = 24;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final Epoch epoch;
  private final LeaderActions actions;
  private final Standstill standstill;
  private Future<Void> tookOver;
  /** Completes when the members follow this node again after a standstill, or have left. */
  private Future<Void> confirmed = Future.succeededFuture();
  /** How often this node has become the leader, or has ceased to be it: what was begun before is void. */
  private long terms;
  /** Nodes that are asked for a sign of life. */
  private final Set<String> pulsed = new TreeSet<>();
  /** Nodes that have come since, and have not said yet what they know. */
  private final Map<String, Future<Void>> greetings = new TreeMap<>();
  /** Nodes that have left a short while ago, and have not come back. */
  private final Set<String> missed = new TreeSet<>();
  private FormingRun forming;
  private long formingNumber;
  /** An earlier leader that was lost with ranks that it had noted. What it had not noted never begins. */
  private Optional<String> failedLeader = Optional.empty();
  /** Whether that was a short while ago: ranks that come now may be late ones of those. */
  private boolean late;
  /** The newest run of an earlier leader. Ranks of its nodes that had asked that one before it began belong to it. */
  private Optional<RunInfo> inherited = Optional.empty();
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
    this.standstill = new Standstill(loop);
    membership.listen(this);
    bus.onBack(node -> {
      if (membership.isLeader() && tookOver != null && tookOver.succeeded()) {
        greet(node).onSuccess(_ -> actions.resume());     // what it has was missing, as of one that had left
      }
    });
    bus.onStranger(node -> {
      if (tookOver != null && tookOver.succeeded() && !greetings.containsKey(node)) {
        greet(node);
      }
    });
  }

  /** Becomes the leader if it is this node's turn. Every call of a node to its leader comes through here first. */
  private Future<Void> lead() {
    if (!membership.isLeader()) {
      resign();
      return Future.failedFuture(notLeader());
    }
    if (tookOver != null && tookOver.succeeded() && !epoch.leads()) {
      resign();                                           // another one has led since
    }
    if (tookOver != null) {
      confirmAfterStandstill();
      return tookOver;
    }
    Future<Void> mine = takeOver();
    tookOver = mine;
    mine.onFailure(_ -> {                                 // at once, where the bus of a node that ends refuses
      if (tookOver == mine) {
        tookOver = null;
      }
    });
    return mine;
  }

  private ScrException notLeader() {
    return new ScrException(Fault.NOT_LEADER,
        "node " + membership.self().name() + " is not the leader, " + membership.leader().name() + " is");
  }

  /** This node has heard who leads. */
  public void heard() {
    if (!membership.isLeader()) {
      resign();
    }
  }

  /** Another node leads, or has led: this one forgets what it was about. The next leader asks the nodes themselves. */
  private void resign() {
    if (tookOver == null) {
      return;
    }
    tookOver = null;
    terms++;
    confirmed = Future.succeededFuture();
    greetings.clear();
    lastOver = null;
    if (active != null) {
      active.fail(notLeader());                           // its nodes ask the next leader
    }
    if (forming != null) {
      forming.end();
    }
    active = null;
    finished = null;
    forming = null;
    failedLeader = Optional.empty();
    late = false;
    inherited = Optional.empty();
    actions.resigned();
  }

  /**
   * The node serves from now on. If it leads and holds all files of a dataset that must be flushed, it goes on with
   * that though nobody comes, goes or calls; else those who come, or a run, will have it lead.
   */
  public void begin(Collection<DatasetRecord> held) {
    boolean hasAll = held.stream().anyMatch(
        record -> record.flush() == FlushState.WANTED && record.ranks().size() == record.origin().ranks());
    if (hasAll && membership.isLeader()) {
      lead();                                             // if it fails, the next caller has it try again
    }
  }

  private Future<Void> takeOver() {
    boolean anotherHasLed = epoch.value() > 0;            // one has commanded this node since it is a member
    long term = ++terms;
    String leadership = membership.self().name() + "/" + Long.toHexString(loop.random().nextLong());
    Takeover hello = new Takeover(membership.self().name(), epoch.value() + 1, leadership);
    Map<String, NodeRunState> states = new TreeMap<>();
    List<Future<NodeRunState>> asked = membership.nodes().stream()
        .map(node -> askState(node.name(), hello, term, 0)
            .recover(gone -> membership.find(node.name()).isPresent() && bus.silence(node.name()).isEmpty()
                ? Future.failedFuture(gone) : Future.succeededFuture(NodeRunState.GONE))
            .onSuccess(state -> states.put(node.name(), state)))
        .toList();
    return Future.all(asked).map(_ -> {
      if (term != terms) {
        throw notLeader();
      }
      epoch.hear(hello.epoch());
      states.values().forEach(state -> epoch.hear(state.epoch()));
      epoch.lead(leadership);
      if (anotherHasLed) {
        actions.tookOver(states.size() + 1);              // the one that led before among them
      }
      states.forEach((node, state) -> {
        actions.numbered(state.newestRun());
        noteDrained(node, state);
        state.synced().stream().filter(part -> part.node().equals(node)).forEach(actions::synced);
      });
      failedLeader = states.values().stream().flatMap(state -> state.failedLeader().stream()).findFirst();
      late = failedLeader.isPresent();
      loop.after(LOSS_GRACE_MS, () -> late &= term != terms);
      inherited = states.values().stream()
          .flatMap(state -> Stream.concat(state.run().stream(), state.endedByNodeLoss().stream()))
          .max(Comparator.comparingLong(RunInfo::run));
      adopt(states);
      states.values().stream().flatMap(state -> state.endedByNodeLoss().stream())
          .max(Comparator.comparingLong(RunInfo::run)).ifPresent(run -> {
            excuse(run);
            actions.nodeLost(run.run());
          });
      actions.resume();
      standstill.begin();
      watch(term, 1);
      return null;
    });
  }

  /**
   * The members may have taken a node that stood still for lost, and have another leader. It hears so from them, a
   * little later than what had been sent to it: the ranks that it noted by then would fail with its leadership.
   */
  private void confirmAfterStandstill() {
    if (tookOver.succeeded() && standstill.hasBeen()) {
      long term = terms;
      Promise<Void> settled = loop.promise();
      loop.after(SETTLE_MS, settled::complete);
      confirmed = settled.future().compose(_ -> term != terms ? Future.<Void>succeededFuture()
          : Future.join(membership.nodes().stream().filter(node -> !node.equals(membership.self()))
              .map(node -> greet(node.name())).toList()).otherwiseEmpty().<Void>mapEmpty());
    }
  }

  /**
   * Asks the nodes of the run, and this one, for a sign of life now and then. The others may wait for a part of a node
   * that is a member, but hangs. Between these, looks whether this node itself has stood still.
   */
  private void watch(long term, int looks) {
    loop.after(Standstill.LOOK_MS, () -> {
      if (term != terms) {
        return;
      }
      confirmAfterStandstill();
      if (looks % LOOKS_OF_WATCH == 0) {
        askForLife(term);
      }
      watch(term, looks + 1);
    });
  }

  private void askForLife(long term) {
    Set<String> nodes = new TreeSet<>(busyNodes());
    if (forming != null) {                                // any node may have the ranks that are missing
      membership.nodes().forEach(node -> nodes.add(node.name()));
    } else if (active != null) {
      nodes.add(membership.self().name());
    }
    nodes.removeAll(pulsed);
    nodes.forEach(node -> pulse(term, node));
    checkNodes();
  }

  private void pulse(long term, String node) {
    ActiveRun about = active;
    boolean told = about != null && about.isTold();
    FormingRun asked = forming;
    List<Integer> noted = asked == null ? List.of() : asked.on(node);
    pulsed.add(node);
    bus.ask(node, NodeVerb.PULSE, Ack.ACK, Pulse.class).onComplete((pulse, _) -> {
      pulsed.remove(node);
      if (term != terms) {
        return;
      }
      checkNodes();
      if (pulse == null && forming != null) {
        bus.silence(node).ifPresent(why -> forming.limit(why, SILENCE_GRACE_MS));
      }
      withdraw(asked, node, noted, Optional.ofNullable(pulse));
      boolean hasEnded = pulse != null && told && active == about && active.nodes().contains(node)
          && pulse.run() != active.info().run();
      if (hasEnded) {                                     // it could not tell: this node did not answer then
        ScrException unknown = new ScrException(Fault.NODE_LOST, "node " + node + " takes no part any more in run "
            + active.info().run() + ": it had to take some node for lost");
        over(pulse.lost().filter(lost -> lost.run() == active.info().run())
            .map(lost -> new ScrException(Fault.of(lost.fault()), lost.message())).orElse(unknown));
      }
    });
  }

  private Collection<String> busyNodes() {
    return active != null ? active.nodes() : forming != null ? forming.nodes() : List.of();
  }

  /** What keeps a node from taking part in a run; this node is needed for all. */
  private Optional<String> trouble(String node) {
    if (membership.find(node).isEmpty()) {
      return Optional.of("node " + node + " has left the cluster");
    }
    return bus.silence(node).or(() -> bus.silence(membership.self().name()));
  }

  /**
   * A node has come to the cluster that this node leads. It is a fresh one, or one that was cut off and may have been
   * led by another. It follows this leadership from now on, whose number is raised above all that it has heard of.
   */
  private Future<Void> greet(String node) {
    long term = terms;
    Takeover hello = new Takeover(membership.self().name(), epoch.value(), epoch.own());
    Future<Void> greeting = askState(node, hello, term, 0).<Void>map(state -> {
      if (term == terms && epoch.leads()) {
        welcome(node, state);
      }
      return null;
    }).otherwiseEmpty();
    greetings.put(node, greeting);
    greeting.onComplete(_ -> greetings.remove(node, greeting));
    return greeting;
  }

  /** Asks again while the view of the node lags behind: it does not take this one for the leader yet. */
  private Future<NodeRunState> askState(String node, Takeover hello, long term, int tries) {
    return bus.ask(node, NodeVerb.TAKEOVER, hello, NodeRunState.class).recover(failure -> {
      if (Fault.of(failure) != Fault.NOT_LEADER || term != terms || tries == MOST_TRIES || !membership.isLeader()) {
        return Future.failedFuture(failure);
      }
      Promise<NodeRunState> again = loop.promise();
      loop.after(TRY_AGAIN_MS, () -> askState(node, hello, term, tries + 1).onComplete(again));
      return again.future();
    });
  }

  private void noteDrained(String node, NodeRunState state) {
    if (state.drained()) {
      actions.drained(node);
    }
  }

  private void welcome(String node, NodeRunState state) {
    actions.numbered(state.newestRun());
    noteDrained(node, state);
    if (state.epoch() > epoch.value()) {
      epoch.hear(state.epoch());
      epoch.lead(epoch.own());
    }
    state.run().filter(run -> !state.ended() && !isOf(active, run) && !isOf(finished, run))
        .ifPresent(run -> bus.command(node, NodeVerb.RUN_OVER, new RunEnd(run.run(), 0, Fault.NODE_LOST.number(),
            "run " + run.run() + " is over: node " + node + " was cut off from the nodes that node "
                + membership.self().name() + " leads, and has found them again"), Ack.class)
            .recover(_ -> Future.succeededFuture(Ack.ACK)));
  }

  private static boolean isOf(ActiveRun known, RunInfo run) {
    return known != null && known.info().run() == run.run();
  }

  /**
   * Goes on with the run of an earlier leader. If that one was lost while it told of the begin or the end of the run,
   * some node does not take part in it: nobody must wait for that node.
   */
  private void adopt(Map<String, NodeRunState> states) {
    // A run that has finalized may have a higher number, where clocks are apart: it is not the one that goes on.
    Optional<NodeRunState> newest = states.values().stream()
        .filter(state -> state.run().filter(run -> isLive(run.run(), states)).isPresent())
        .max(Comparator.comparingLong((NodeRunState state) -> state.run().get().run())
            .thenComparingLong(NodeRunState::number));
    if (newest.isEmpty()) {
      return;
    }
    long run = newest.get().run().get().run();
    List<NodeRunState> sameRun = states.values().stream().filter(state -> state.isIn(run)).toList();
    active = ActiveRun.adopted(loop, newest.get(), sameRun.stream().anyMatch(NodeRunState::ended));
    active.told();
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
      newest.get().bypassing().ifPresent(dataset -> actions.bypassing(active.info(), dataset));
    }
  }

  private static boolean isLive(long run, Map<String, NodeRunState> states) {
    return states.values().stream().anyMatch(state -> state.isIn(run) && !state.ended());
  }

  /** Ends the run that is on at once: all who wait and all who call are told HALTED. */
  public void halt(String why) {
    if (active != null) {
      over(new ScrException(Fault.HALTED, "run " + active.info().run() + " ends now: " + why));
    }
  }

  /** Notes the ranks that have arrived on a node. Where one may not join, nobody is left waiting for it. */
  public Future<RunJoined> join(JoinRun join) {
    return lead().compose(_ -> confirmed)
        .compose(_ -> greetings.getOrDefault(join.node(), Future.succeededFuture()))
        .compose(_ -> note(join, false));
  }

  /** @param confirmed whether it is known that ranks which disagree wait where they are said to */
  private Future<RunJoined> note(JoinRun join, boolean confirmed) {
    if (tookOver == null) {
      throw notLeader();                                  // meanwhile
    }
    checkNodes();                                         // who joins may have heard of a loss before this node has
    refuseStranger(join.node());
    trouble(join.node()).ifPresent(why -> {
      throw new ScrException(Fault.BUSY, why);            // not a loss: its ranks are told, and may come again
    });
    if (isInActive(join)) {
      return Future.succeededFuture(new RunJoined(membership.self().name(), formingNumber, List.of()));
    }
    refuseSecondRun(join);
    boolean itsLeaderIsGone = membership.find(join.leader()).isEmpty();
    if (itsLeaderIsGone && (failedLeader.isPresent() || belongsToInherited(join))) {
      return Future.succeededFuture(refused(join));
    }
    if (forming != null && !forming.isComplete()) {
      forgetOthers(join);
    }
    if (join.here().isEmpty()) {
      return Future.succeededFuture(new RunJoined(membership.self().name(), formingNumber, List.of()));
    }
    if (forming == null) {
      formingNumber = Math.max(formingNumber, epoch.value() << EPOCH_SHIFT) + 1;
      forming = new FormingRun(loop, formingNumber, join, this::over);
      if (late) {
        forming.limit(hasLeft(failedLeader.orElseThrow()), LOSS_GRACE_MS);
      }
      missed.stream().findFirst().ifPresent(node -> forming.limit(hasLeft(node), LOSS_GRACE_MS));
    }
    actions.numbered(join.newestRun());
    boolean begins = !forming.isComplete();               // else who comes now is of another run
    List<JoinRefusal> refusals = forming.join(join);
    if (begins && !refusals.isEmpty() && !confirmed) {
      return confirm(join).compose(waits -> waits ? note(join, true)
          : Future.succeededFuture(refusal(join, new ScrException(Fault.RANK_LOST,
              "ranks of node " + join.node() + " do not wait there for their run to begin"))));
    }
    RunJoined joined = new RunJoined(membership.self().name(), forming.number(), refusals);
    if (begins && !refusals.isEmpty()) {
      over(new ScrException(Fault.of(refusals.getFirst().fault()), refusals.getFirst().message()));
    } else if (begins) {
      if (itsLeaderIsGone) {
        forming.limit(hasLeft(join.leader()), LOSS_GRACE_MS);
      }
      forming.complete().ifPresent(this::begin);
    }
    return Future.succeededFuture(joined);
  }

  /**
   * Whether ranks that disagree with others wait where they are said to. Those of the others that do not are withdrawn:
   * a message may come late, or be a lie, and must not keep ranks from beginning that are there.
   */
  private Future<Boolean> confirm(JoinRun join) {
    FormingRun asked = forming;
    Future<Pulse> its = bus.ask(join.node(), NodeVerb.PULSE, Ack.ACK, Pulse.class);
    List<Future<?>> all = new ArrayList<>(List.of(its));
    for (String node : asked.nodes()) {
      List<Integer> noted = asked.on(node);
      all.add(bus.ask(node, NodeVerb.PULSE, Ack.ACK, Pulse.class)
          .onComplete((pulse, _) -> withdraw(asked, node, noted, Optional.ofNullable(pulse))));
    }
    return Future.join(all).transform(_ -> {
      endIfEmpty();
      return Future.succeededFuture(
          its.succeeded() && !Collections.disjoint(join.here(), its.result().waiting()));
    });
  }

  /**
   * Forgets ranks that were noted for a node which does not know them. Its daemon tells the loss of those that have
   * called init there; what it has not said itself, or long ago, it does not.
   *
   * @param pulse what the node has said since it was asked; empty if it does not answer
   */
  private void withdraw(FormingRun asked, String node, List<Integer> noted, Optional<Pulse> pulse) {
    if (asked == null || asked != forming || pulse.isEmpty() && (asked.isComplete() || trouble(node).isPresent())) {
      return;                                             // a node that hangs, or has left, is lost with its ranks
    }
    Set<Integer> there = pulse.map(said -> Set.copyOf(said.waiting())).orElse(Set.of());
    List<Integer> gone = noted.stream().filter(rank -> !there.contains(rank)).toList();
    if (gone.isEmpty()) {
      return;
    }
    if (asked.isComplete()) {
      over(new ScrException(Fault.RANK_LOST, "rank " + gone.getFirst() + " on node " + node
          + " is lost: it does not wait there any more"));
      return;
    }
    String which = forget(node, gone);
    if (forming != null) {                                // the others do not wait for them forever
      forming.limit(which + " have gone", LOSS_GRACE_MS);
    }
  }

  /** Nodes repeat all ranks that wait with them. What this one has said before, and does not say now, is over. */
  private void forgetOthers(JoinRun join) {
    Set<Integer> here = Set.copyOf(join.here());
    List<Integer> gone = forming.on(join.node()).stream().filter(rank -> !here.contains(rank)).toList();
    if (!gone.isEmpty()) {
      forget(join.node(), gone);
    }
  }

  private String forget(String node, List<Integer> gone) {
    String which = forming.leave(node, gone);
    endIfEmpty();
    return which;
  }

  /** No rank has come that may, or all have been forgotten: who comes next begins another run. */
  private void endIfEmpty() {
    if (forming != null && forming.isEmpty()) {
      forming.end();
      forming = null;
    }
  }

  /**
   * Refuses ranks that came for a run of an earlier leader. Whether or not it had noted them, others that it had noted
   * have heard of its loss, so these would wait here forever. Not a failure of the message, which would be sent again.
   */
  private RunJoined refused(JoinRun join) {
    ScrException why = new ScrException(Fault.NODE_LOST,
        "node " + join.leader() + ", which was bringing the ranks of the run together, has left the cluster");
    if (forming != null && !forming.isComplete()) {
      over(why);
    }
    return refusal(join, why);
  }

  private RunJoined refusal(JoinRun join, ScrException why) {
    return new RunJoined(membership.self().name(), 0, join.here().stream()
        .map(rank -> new JoinRefusal(rank, why.fault().number(), why.getMessage())).toList());
  }

  private static String hasLeft(String node) {
    return "node " + node + " has left the cluster";
  }

  /**
   * Whether these ranks belong to the run that was inherited. They had asked before their node heard of it, or without
   * its ever hearing of it.
   */
  private boolean belongsToInherited(JoinRun join) {
    return inherited.filter(run -> run.map().byNode().containsKey(join.node()) && join.newestRun() < run.run())
        .isPresent();
  }

  /**
   * Refuses a node that is not a member here. Its first message may overtake the news that it is one: taken for lost,
   * its ranks would hear of nothing.
   */
  private void refuseStranger(String node) {
    if (membership.find(node).isEmpty()) {
      throw new ScrException(Fault.NOT_LEADER, "node " + node + " is no member here yet, or not any more");
    }
  }

  /** Whether these ranks are told already that their run begins. */
  private boolean isInActive(JoinRun join) {
    return active != null && active.nodes().contains(join.node()) && join.newestRun() < active.info().run();
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
    Future.join(List.copyOf(greetings.values())).otherwiseEmpty()
        .compose(_ -> actions.configure(user, map))
        .compose(settings -> mine != forming ? Future.failedFuture(notForming())
            : actions.restore(mine.prefix(), mine.jobName(), map, settings))
        .compose(info -> mine != forming ? Future.<Void>failedFuture(notForming()) : announce(info))
        .onFailure(failure -> {
          if (mine == forming) {
            over(asScr(failure));
          }
        });
  }

  private ScrException notForming() {
    return lastOver != null ? lastOver : notLeader();
  }

  private Future<Void> announce(RunInfo info) {
    ActiveRun begun = new ActiveRun(loop, info);
    active = begun;
    last = Optional.of(info);
    forming.end();
    forming = null;
    failedLeader = Optional.empty();
    late = false;
    inherited = Optional.empty();
    actions.open(info, true);
    List<Future<Ack>> told = active.nodes().stream()
        .map(node -> bus.command(node, NodeVerb.RUN_BEGIN, info, Ack.class)).toList();
    return Future.all(told).<Void>mapEmpty().onSuccess(_ -> {
      begun.told();
      actions.begun(info);
    }).recover(failure -> {
      if (active == begun) {                              // a rank has gone meanwhile: nobody must wait for it
        over(asScr(failure));
      }
      return Future.succeededFuture();
    });
  }

  /** Notes that a rank's process or a node is gone, or a rank may not join: its run is over for all. */
  public Future<Ack> lost(LostRank lost) {
    return lead().map(_ -> {
      boolean concerns = active != null ? active.info().run() == lost.run()
          : forming != null && forming.concerns(lost);
      if (concerns) {
        over(new ScrException(Fault.of(lost.fault()), lost.message()));
      } else if (lost.run() != 0 && lost.fault() == Fault.NODE_LOST.number()) {
        actions.nodeLost(lost.run());
      }
      return Ack.ACK;
    });
  }

  /** A node's part of a gather; completes when all parts are here and the result is known. */
  public Future<GatherResult> gather(GatherPart part) {
    return lead().compose(_ -> {
      ActiveRun run = active != null ? active : finished;
      if (run == null || run.info().run() != part.run()) {
        throw whyOver(part.run());
      }
      return run.arrive(part, actions::handler, actions::operations).onSuccess(result -> {
        endIfFinalized();
        if (result.fault() == Fault.NODE_LOST.number() && run == active) {
          over(new ScrException(Fault.NODE_LOST, result.message()));
        }
      });
    });
  }

  /** Why a run that some node is in is not the one that is on. */
  private ScrException whyOver(long run) {
    return lastOver != null ? lastOver : new ScrException(Fault.NODE_LOST, "run " + run + " is over: its leader was"
        + " lost, and node " + membership.self().name() + ", which leads now, has not found all of its nodes");
  }

  /** Does something that only the leader of this run may do; fails with why the run is not active. */
  public <T> Future<T> inRun(long run, Supplier<Future<T>> action) {
    return lead().compose(_ -> {
      if (active == null || active.info().run() != run) {
        throw whyOver(run);
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
        return forming.view(membership.nodes().stream().map(NodeInfo::name).toList(),
            actions.drains().stream().map(DrainReply::node).toList());
      }
      return active == null ? new OpenWaits("no run", List.of()) : active.waits();
    }).map(waits -> waits.with(Stream.of(
        membership.nodes().stream().flatMap(node -> bus.silence(node.name()).stream()), actions.remarks().stream(),
        loop.prefix().remark(membership.self().name()).stream()).flatMap(remarks -> remarks).toList(),
        actions.flushes(), actions.healings(), actions.drains()));
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

  /** A signal from outside has ended the program, or will. Who has started it says so; its run has not failed. */
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

  /**
   * Notes how a run ended. That a node was lost may show only now, or soon: a program dies of it in less time than the
   * cluster needs.
   */
  private void noteEnd(RunInfo info, ScrException cause) {
    if (cause.fault() == Fault.NODE_LOST || cause.fault() == Fault.HALTED) {
      excuse(info);
      return;
    }
    ended = Optional.of(info);
    loop.after(LOSS_SHOWS_MS, () -> ended = ended.filter(run -> run != info));
  }

  private void checkNodes() {
    for (String node : List.copyOf(busyNodes())) {
      Optional<String> trouble = trouble(node);
      if (trouble.isPresent()) {
        over(new ScrException(Fault.NODE_LOST, trouble.get()));
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
      missed.remove(node.name());
      if (!membership.isLeader()) {
        resign();
        return;
      }
      boolean isAsked = tookOver == null;                 // as all members are
      (isAsked ? lead() : lead().compose(_ -> greet(node.name()))).onSuccess(_ -> actions.resume());
    });
  }

  @Override
  public void left(NodeInfo node) {
    loop.later(() -> {
      missed.add(node.name());
      loop.after(LOSS_GRACE_MS, () -> missed.remove(node.name()));
      ended.filter(run -> run.map().byNode().containsKey(node.name())).ifPresent(this::excuse);
      checkNodes();
      if (forming != null) {
        forming.limit(hasLeft(node.name()), LOSS_GRACE_MS);
      }
      if (!membership.isLeader()) {
        resign();
      } else {
        lead().onSuccess(_ -> actions.resume());          // what it had must perhaps be rebuilt before its flush
      }
    });
  }
}
