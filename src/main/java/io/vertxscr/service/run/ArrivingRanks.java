package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.JoinRefusal;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.RankConfiguration;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ranks of this node that wait in init for their run to begin, and their join at the leader. On the node's loop.
 *
 * <p>When the leader is lost, the ranks that it had acknowledged fail: it may have had ranks of its own, unknown to
 * others. Those not acknowledged join the run again, at the next leader.
 */
final class ArrivingRanks {
  private static final Logger LOG = LoggerFactory.getLogger(ArrivingRanks.class);
  private static final long JOIN_AGAIN_MS = 20;
  private static final long JOIN_STILL_MS = 5_000;
  private static final long WITHDRAW_MS = 1_000;
  /** Tries after which the log says that no leader answers. */
  private static final int PATIENT_TRIES = 250;

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final SortedMap<Integer, Arriving> waiting = new TreeMap<>();
  private RunEnd lastOver = new RunEnd(0, 0, 0, "");
  /** The leader that knows of ranks here; empty if none does. */
  private String collector = "";
  /** Leader under which local ranks failed to join since the last begin of a run; empty if none. */
  private String failedLeader = "";
  /** The leader that was first asked to note ranks, and has not answered yet; empty if none is asked. */
  private String asked = "";
  /** The last run that has begun here. */
  private long newestRun;
  /** Its number while it formed, if the leader's answer has told it in time. */
  private long lastBegun;
  private boolean joining;
  private boolean willJoin;
  private int tries;

  /**
   * A rank that waits for the begin of its run.
   *
   * @param first number of the forming run in which the leader has first noted it; 0 until it has
   * @param forming the same for now. Another one than the first means that this one is over: who says that he still
   *     waits before he has heard of it is noted in the next one
   */
  private record Arriving(
      InitRequest request, String client, Promise<InitReply> promise, long first, long forming) {
    Arriving in(long number) {
      return new Arriving(request, client, promise, first == 0 ? number : first, number);
    }
  }

  ArrivingRanks(Loop loop, NodeBus bus, Membership membership) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The ranks that wait. */
  List<Integer> ranks() {
    return List.copyOf(waiting.keySet());
  }

  /** The rank of this connection, if it is the lowest that waits. */
  OptionalInt lowest(String client) {
    boolean isLowest = !waiting.isEmpty() && waiting.firstEntry().getValue().client().equals(client);
    return isLowest ? OptionalInt.of(waiting.firstKey()) : OptionalInt.empty();
  }

  /** A rank arrives; completes when the run begins. */
  Future<InitReply> arrive(InitRequest request, String client) {
    Arriving already = waiting.get(request.rank());
    if (already != null && already.client().equals(client)) {
      return already.promise().future();
    }
    if (already != null) {
      throw refused(new ScrException(Fault.DUPLICATE_RANK, "rank " + request.rank() + " has arrived on node " + self()
          + " already, over another connection"));
    }
    checkAgainstOthers(request);
    Arriving rank = new Arriving(request, client, loop.promise(), 0, 0);
    waiting.put(request.rank(), rank);
    joinSoon();
    return rank.promise().future();
  }

  private void checkAgainstOthers(InitRequest request) {
    if (waiting.isEmpty()) {
      return;
    }
    InitRequest first = waiting.firstEntry().getValue().request();
    if (first.ranks() != request.ranks() || !first.prefix().equals(request.prefix())
        || !first.jobName().equals(request.jobName())) {
      throw refused(new ScrException(Fault.RANKS_DISAGREE, "rank " + request.rank() + " on node " + self()
          + " gives size " + request.ranks() + ", prefix " + request.prefix() + ", job name '" + request.jobName()
          + "'; rank " + first.rank() + " gave " + first.ranks() + ", " + first.prefix() + ", '" + first.jobName()
          + "'"));
    }
  }

  private String self() {
    return membership.self().name();
  }

  /**
   * A rank may not join: no other rank must wait for it. Ranks known to the leader are told by it, because it knows
   * whether any is missing; the others at once.
   */
  ScrException refused(ScrException why) {
    fail(rank -> rank.forming() == 0, why);
    tell(new LostRank(0, 0, why.fault().number(), why.getMessage()));
    return why;
  }

  /** Reports to the leader. */
  void tell(LostRank lost) {
    bus.askLeader(NodeVerb.LOST, lost, Ack.class)
        .onFailure(e -> LOG.warn("cannot tell the leader: {} ({})", lost.message(), e.getMessage()));
  }

  /**
   * Many ranks arrive at about the same time: one message tells the leader of all that are here. It is rebuilt for
   * every leader: ranks whose run has begun, or who are lost, must not join another one.
   */
  private void joinSoon() {
    if (!joining) {
      joining = true;
      loop.later(this::join);
    }
  }

  private void join() {
    if (waiting.isEmpty()) {
      joining = false;
      asked = "";
      return;
    }
    InitRequest first = waiting.firstEntry().getValue().request();
    String leader = membership.leader().name();
    asked = !asked.isEmpty() ? asked : collector.isEmpty() ? leader : collector;
    JoinRun join = new JoinRun(self(), asked, first.prefix(), first.jobName(), first.ranks(),
        List.copyOf(waiting.keySet()),
        first.rank() == 0 ? Optional.of(configured(first)) : Optional.empty(), newestRun);
    Map<Integer, Arriving> sent = new TreeMap<>(waiting);
    bus.ask(leader, NodeVerb.JOIN, join, RunJoined.class).onComplete((joined, failure) -> {
      if (failure == null) {
        joining = false;
        tries = 0;
        asked = "";
        joined(sent, joined);
      } else {
        notJoined(failure);
      }
    });
  }

  /** The rank whose configuration counts. @throws ScrException RANK_LOST if it does not wait here */
  InitRequest first() {
    Arriving first = waiting.get(0);
    if (first == null) {
      throw new ScrException(Fault.RANK_LOST, "rank 0 does not wait on node " + self() + " for its run to begin");
    }
    return first.request();
  }

  private static RankConfiguration configured(InitRequest rank) {
    return new RankConfiguration(rank.environment().orElse(Map.of()), rank.config().orElse(List.of()));
  }

  private void joined(Map<Integer, Arriving> sent, RunJoined joined) {
    Set<Integer> refusedRanks = new HashSet<>();
    for (JoinRefusal refusal : joined.refusals()) {
      Arriving refused = sent.get(refusal.rank());
      refusedRanks.add(refusal.rank());
      if (refused != null && waiting.remove(refusal.rank(), refused)) {
        refused.promise().tryFail(new ScrException(Fault.of(refusal.fault()), refusal.message()));
      }
    }
    withdraw(joined.forming(), sent.values().stream()
        .filter(rank -> rank.promise().future().failed() && !refusedRanks.contains(rank.request().rank()))
        .filter(rank -> !waiting.containsKey(rank.request().rank())).toList());
    sent.forEach((rank, arrived) -> waiting.replace(rank, arrived, arrived.in(joined.forming())));
    // The answer may arrive after the begin of the run: ranks of the next one do not depend on this leader.
    collector = waiting.values().stream().anyMatch(rank -> rank.forming() != 0) ? joined.leader() : "";
    if (joined.forming() <= lastOver.forming()) {         // overtaken by the news that it is over
      over(lastOver);
    }
    if (waiting.values().stream().anyMatch(rank -> rank.forming() == 0)) {
      joinSoon();
    } else {
      joinStill();
    }
  }

  /** Repeats that the ranks are still here. A leader that does not know them any more learns of them. */
  private void joinStill() {
    if (!waiting.isEmpty() && !willJoin) {
      willJoin = true;
      loop.after(JOIN_STILL_MS, () -> {
        willJoin = false;
        if (!waiting.isEmpty()) {
          joinSoon();
        }
      });
    }
  }

  /**
   * Withdraws ranks that gave up while the leader was registering them. Others would wait for them in its forming run.
   * Not at once: a leader that was silent for long registers ranks of a program that has been started again since, and
   * those that arrive here meanwhile take their places.
   */
  private void withdraw(long forming, List<Arriving> gone) {
    if (!gone.isEmpty()) {
      loop.after(WITHDRAW_MS, () -> {
        List<Integer> missing = gone.stream().map(rank -> rank.request().rank())
            .filter(rank -> !waiting.containsKey(rank)).sorted().toList();
        if (!missing.isEmpty() && forming > lastBegun) {
          tell(new LostRank(0, forming, Fault.RANK_LOST.number(), "ranks " + missing + " on node " + self()
              + " ended before the leader had noted them"));
        }
      });
    }
  }

  /** Ranks keep waiting through a leader failover; a refusal by a leader fails all of them. */
  private void notJoined(Throwable failure) {
    Fault fault = Fault.of(failure);
    boolean hangs = fault == Fault.NODE_LOST && bus.silence(membership.leader().name()).isPresent();
    boolean passes = fault == Fault.NOT_LEADER || fault == Fault.NODE_LOST || fault == Fault.TIMEOUT;
    if (!waiting.isEmpty() && passes && !hangs) {
      if (++tries % PATIENT_TRIES == 0) {
        LOG.warn("ranks {} have called init, but no leader answers: {}", waiting.keySet(), failure.getMessage());
      }
      loop.after(JOIN_AGAIN_MS, this::join);
      return;
    }
    joining = false;
    tries = 0;
    asked = "";
    if (!waiting.isEmpty()) {
      fail(failure);
      tell(new LostRank(0, 0, fault.number(), "ranks on node " + self() + " may not join: " + failure.getMessage()));
    }
  }

  /** Fails all waiting ranks with the cause. */
  void fail(Throwable cause) {
    fail(_ -> true, cause);
  }

  private void fail(Predicate<Arriving> which, Throwable cause) {
    List<Arriving> all = waiting.values().stream().filter(which).toList();
    waiting.values().removeIf(which);
    noteFailedLeader(all);
    all.forEach(rank -> rank.promise().tryFail(cause));
  }

  private void noteFailedLeader(List<Arriving> gone) {
    if (gone.stream().anyMatch(rank -> rank.forming() != 0)) {
      failedLeader = collector;
    }
    if (waiting.isEmpty()) {
      collector = "";
      asked = "";
    }
  }

  /** The leader says that the run that formed is over; those that have arrived since are not meant. */
  void over(RunEnd over) {
    lastOver = over;
    Predicate<Arriving> meant = rank -> rank.first() != 0 && rank.first() <= over.forming();
    List<Arriving> gone = waiting.values().stream().filter(meant).toList();
    fail(meant, new ScrException(Fault.of(over.fault()), over.message()));
    List<Arriving> inNext = gone.stream().filter(rank -> rank.forming() > over.forming()).toList();
    inNext.stream().mapToLong(Arriving::forming).max().ifPresent(next -> withdraw(next, inNext));
  }

  /** These connections are closed: their ranks do not wait any more, and no rank must wait for them. */
  void lose(Predicate<String> client) {
    List<Arriving> gone = waiting.values().stream().filter(rank -> client.test(rank.client())).toList();
    gone.forEach(rank -> waiting.remove(rank.request().rank()));
    noteFailedLeader(gone);
    for (Arriving rank : gone) {
      rank.promise().tryFail(new ScrException(Fault.RANK_LOST, "rank " + rank.request().rank() + " is lost"));
      if (rank.forming() == 0) {
        continue;                                         // whether a leader has noted it shows with its answer
      }
      tell(new LostRank(0, rank.forming(), Fault.RANK_LOST.number(), "rank " + rank.request().rank() + " on node "
          + self() + " is lost: its connection ended without finalize"));
    }
  }

  /**
   * Connections of these ranks, which keep waiting until they are answered.
   *
   * @throws ScrException RANK_LOST if one of them is not here any more
   */
  Map<Integer, String> clients(List<Integer> ranks) {
    Map<Integer, String> clients = new HashMap<>();
    for (int rank : ranks) {
      Arriving here = waiting.get(rank);
      if (here == null) {
        throw new ScrException(Fault.RANK_LOST, "rank " + rank + " on node " + self()
            + " is lost: its connection ended before the run began");
      }
      clients.put(rank, here.client());
    }
    return clients;
  }

  /** The run of these ranks begins. */
  void begin(long run, Iterable<Integer> ranks, IntFunction<InitReply> reply) {
    newestRun = run;
    collector = "";
    failedLeader = "";
    for (int rank : ranks) {
      Arriving begun = waiting.remove(rank);
      lastBegun = Math.max(lastBegun, begun.forming());
      begun.promise().tryComplete(reply.apply(rank));
    }
    asked = waiting.isEmpty() ? "" : asked;
  }

  /**
   * Another node leads from now on.
   *
   * @return the lost leader, if ranks that it had acknowledged here have failed, or fail now: those
   *     that it had not noted, here or elsewhere, must hear so too
   */
  Optional<String> takenOver(String leader) {
    if (collector.equals(self()) && !leader.equals(self())) {
      // This node has led, and has lost nothing: it was cut off, or has found an older one. Its ranks ask that one.
      waiting.replaceAll((_, rank) -> rank.in(0));
      collector = "";
      asked = "";
    }
    if (!collector.isEmpty() && !collector.equals(leader)) {
      fail(new ScrException(Fault.NODE_LOST, "node " + collector
          + ", which was bringing the ranks of the run together, has left the cluster"));
    }
    if (!waiting.isEmpty()) {
      joinSoon();
    }
    return Optional.of(failedLeader).filter(lost -> !lost.isEmpty() && !lost.equals(leader));
  }
}
