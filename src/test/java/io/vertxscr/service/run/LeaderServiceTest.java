package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.FormingView;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a leader that is lost while it tells of the begin or the end of a run leaves nobody waiting. Method: n1 has
 * told every subset of n2, n3 and n4 when it is lost; n2 leads then.
 */
class LeaderServiceTest {
  private static final List<String> NODES = List.of("n2", "n3", "n4");
  private static final RunInfo RUN = new RunInfo(
      7, "/p", "job", new RankMap(NODES), Optional.empty(), RunInfo.InitialState.NOTHING, null);
  private static final NodeRunState NO_RUN = NodeRunState.none(1);
  private static final GatherResult DONE = new GatherResult(0, "", Packed.NOTHING);

  private final Map<String, NodeRunState> states = new HashMap<>();
  private final Map<String, RunEnd> toldOver = new HashMap<>();
  private final List<Step> decided = new ArrayList<>();
  private final List<RunInfo> excused = new ArrayList<>();
  private Optional<ScrException> refusal = Optional.empty();
  private boolean restores;
  /** Ranks that wait on a node; where it is not here, all that any test has. */
  private final Map<String, List<Integer>> waiting = new HashMap<>();
  /** What nodes have reported, where the answer to a pulse overtakes that. */
  private final Map<String, LostRank> lost = new HashMap<>();
  private final List<Long> numbers = new ArrayList<>();
  private int resumed;
  private int resigned;
  private final List<Long> withoutNode = new ArrayList<>();
  /** n1 is back, as this node sees it. */
  private boolean isFollower;
  private Consumer<String> back;
  private Future<Packed> decision = Future.succeededFuture(Packed.NOTHING);
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final LeaderService leader =
      new LeaderService(loop, new Bus(), new Nodes(), new Epoch(new Nodes()), new Actions());

  /** Answers as scripted for each node, and records whom the leader tells of a run's end. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      if (verb == NodeVerb.PULSE) {
        return Future.succeededFuture(answer.cast(new Pulse(0, states.get(node).run().map(RunInfo::run).orElse(0L),
            waiting.getOrDefault(node, List.of(0, 1, 2, 3)), Optional.ofNullable(lost.get(node)))));
      }
      assertThat(verb).isEqualTo(NodeVerb.TAKEOVER);
      if (refusal.isPresent()) {
        return Future.failedFuture(refusal.get());
      }
      return Future.succeededFuture(answer.cast(states.get(node)));
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      assertThat(verb).isEqualTo(NodeVerb.RUN_OVER);
      toldOver.put(node, (RunEnd) request);
      return Future.succeededFuture(answer.cast(Ack.ACK));
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError("the leader asks itself for " + verb);
    }

    @Override
    public void onlyLeader(String name) {
      // Nothing is open here.
    }

    @Override
    public void onBack(Consumer<String> listener) {
      back = listener;
    }
  }

  /** n1 has left. */
  private final class Nodes implements Membership {
    @Override
    public NodeInfo self() {
      return new NodeInfo(NODES.getFirst(), "host", "127.0.0.1", 1);
    }

    @Override
    public List<NodeInfo> nodes() {
      return Stream.concat(isFollower ? Stream.of("n1") : Stream.empty(), NODES.stream())
          .map(name -> new NodeInfo(name, "host", "127.0.0.1", 1)).toList();
    }

    @Override
    public void listen(Listener listener) {
      // Nobody comes or goes.
    }
  }

  /** Begins no run, unless the test restores one, which then takes forever. */
  private final class Actions extends RunNumbers {
    @Override
    public Future<RunSettings> configure(UserSettings user, RankMap map) {
      return restores ? Promise.<RunSettings>promise().future() : Future.failedFuture("no run is complete here");
    }

    @Override
    public void numbered(long run) {
      numbers.add(run);
    }

    @Override
    public void resume() {
      resumed++;
    }

    @Override
    public void resigned() {
      resigned++;
    }

    @Override
    public void nodeLost(long run) {
      withoutNode.add(run);
    }

    @Override
    public GatherHandler handler(Step step) {
      decided.add(step);
      return (_, _) -> decision;
    }

    @Override
    public Future<Void> excused(RunInfo info) {
      excused.add(info);
      return Future.succeededFuture();
    }
  }

  private static NodeRunState running() {
    return inRun(RUN);
  }

  private static NodeRunState inRun(RunInfo run) {
    return new NodeRunState(
        1, Optional.of(run), 0, Optional.empty(), false, Optional.empty(), Optional.empty(), run.run());
  }

  private <T> T on(Supplier<Future<T>> call) {
    Future<T> answer = time.await(loop.call(call));
    if (answer.failed()) {
      throw (ScrException) answer.cause();
    }
    return answer.result();
  }

  private static boolean told(int subset, String node) {
    return (subset >> NODES.indexOf(node) & 1) == 1;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void aRunThatNotAllWereToldOfIsOverForThoseWhoWere(int subset) {
    for (String node : NODES) {
      states.put(node, told(subset, node)
          ? running() : NO_RUN);
    }
    String waits = on(leader::waits).text();
    boolean someOnly = subset != 0 && subset != 7;
    assertThat(waits).isEqualTo(subset == 7 ? "the application computes" : "no run");
    assertThat(toldOver.keySet()).containsExactlyInAnyOrderElementsOf(someOnly ? NODES : List.of());
    toldOver.values().forEach(over -> {
      assertThat(over.run()).isEqualTo(7);
      assertThat(Fault.of(over.fault())).isEqualTo(Fault.NODE_LOST);
      assertThat(over.message()).containsAnyOf(
          NODES.stream().filter(node -> !told(subset, node)).map(node -> "node " + node).toArray(String[]::new));
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void aRankThatMissedTheEndOfTheRunIsToldWithoutWaiting(int subset) {
    for (String node : NODES) {
      boolean heard = told(subset, node);
      states.put(node, new NodeRunState(
          1, Optional.of(RUN), heard ? 5 : 4, Optional.of(DONE), heard, Optional.empty(), Optional.empty(), 7));
    }
    List<String> asking = NODES.stream().filter(node -> !told(subset, node)).toList();
    List<GatherResult> answers = on(() -> {
      List<Future<GatherResult>> asked = asking.stream().map(node -> leader.gather(
          new GatherPart(7, 5, node, Step.FINALIZE, Optional.empty(), Packed.NOTHING))).toList();
      return Future.all(asked).map(_ -> asked.stream().map(Future::result).toList());
    });
    assertThat(answers).hasSize(asking.size()).allSatisfy(answer -> assertThat(answer).isEqualTo(DONE));
    assertThat(decided).isEqualTo(subset == 0 ? List.of(Step.FINALIZE) : List.of());
    assertThat(on(leader::waits).text()).as("the next run may begin").isEqualTo("no run");
    assertThat(toldOver).isEmpty();
  }

  /** Its storage has hung: flushes were given up for want of its files, as if it had left. */
  @Test
  void whatWaitsGoesOnWhenASilentNodeAnswersAgain() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    on(leader::waits);
    int before = resumed;
    on(() -> {
      back.accept("n3");
      return Future.succeededFuture();
    });
    assertThat(resumed).isEqualTo(before + 1);
  }

  /** The answer to its last part is on its way, or is asked for again. */
  @Test
  void aNodeThatAnswersAgainIsNotToldThatARunIsOverWhichHasFinalized() {
    NODES.forEach(node -> states.put(node, running()));
    on(() -> Future.all(NODES.stream().map(node -> leader.gather(
        new GatherPart(7, 1, node, Step.FINALIZE, Optional.empty(), Packed.NOTHING))).toList()));
    on(() -> {
      back.accept("n3");
      return Future.succeededFuture();
    });
    assertThat(toldOver).isEmpty();
    states.put("n3", inRun(
        new RunInfo(6, "/p", "job", new RankMap(NODES), Optional.empty(), RunInfo.InitialState.NOTHING, null)));
    on(() -> {
      back.accept("n3");
      return Future.succeededFuture();
    });
    assertThat(toldOver).as("of another leader").containsOnlyKeys("n3");
  }

  @Test
  void aLeaderThatHearsOfAnotherOneForgetsWhatItWasAbout() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    on(leader::waits);
    leader.heard();
    assertThat(resigned).as("it leads").isZero();
    isFollower = true;
    leader.heard();
    assertThat(resigned).isEqualTo(1);
    leader.heard();
    assertThat(resigned).as("once").isEqualTo(1);
  }

  @Test
  void nobodyWaitsForANodeThatARunHadLostWhenAnotherNodeLed() {
    states.putAll(Map.of("n2", NO_RUN, "n3", NO_RUN, "n4", new NodeRunState(
        1, Optional.empty(), 0, Optional.empty(), false, Optional.empty(), Optional.of(RUN), 7)));
    on(leader::waits);
    assertThat(withoutNode).containsExactly(7L);
  }

  @Test
  void nobodyWaitsForANodeThatLeavesWhenItsRunIsOver() {
    NODES.forEach(node -> states.put(node, running()));
    assertThat(waits()).isEqualTo("the application computes");
    on(() -> leader.lost(new LostRank(7, 0, Fault.RANK_LOST.number(), "rank 1 is lost")));
    assertThat(withoutNode).isEmpty();
    on(() -> leader.lost(new LostRank(7, 0, Fault.NODE_LOST.number(), "node n3 has left the cluster")));
    assertThat(withoutNode).containsExactly(7L);
  }

  /** Its clock was ahead, and the leader of the run that is on had not heard of it. */
  @Test
  void aFinishedRunWithAHigherNumberIsNotTakenForTheOneThatIsOn() {
    RunInfo finished = new RunInfo(
        9, "/p", "job", new RankMap(List.of("n4")), Optional.empty(), RunInfo.InitialState.NOTHING, null);
    RunInfo live = new RunInfo(
        7, "/p", "job", new RankMap(List.of("n2", "n3")), Optional.empty(), RunInfo.InitialState.NOTHING, null);
    states.putAll(Map.of("n2", inRun(live), "n3", inRun(live), "n4", new NodeRunState(
        1, Optional.of(finished), 1, Optional.of(DONE), true, Optional.empty(), Optional.empty(), 9)));
    assertThat(waits()).isEqualTo("the application computes");
    assertThat(on(() -> leader.inRun(7, () -> Future.succeededFuture("yes")))).isEqualTo("yes");
    assertThat(numbers).as("what later runs are above").contains(9L);
  }

  @Test
  void aNodeInARunOfWhichTheLeaderDoesNotKnowHearsThatItsLeaderIsLost() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    assertThatThrownBy(() -> on(() -> leader.gather(
        new GatherPart(7, 1, "n3", Step.FINALIZE, Optional.empty(), Packed.NOTHING))))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NODE_LOST))
        .hasMessageContaining("run 7");
  }

  @Test
  void aStepThatFailsBecauseANodeIsLostEndsTheRunForAll() {
    NODES.forEach(node -> states.put(node, running()));
    decision = Future.failedFuture(new ScrException(Fault.NODE_LOST, "node n4 has left the cluster"));
    List<GatherResult> results = on(() -> {
      List<Future<GatherResult>> asked = NODES.stream().map(node -> leader.gather(
          new GatherPart(7, 1, node, Step.FINALIZE, Optional.empty(), Packed.NOTHING))).toList();
      return Future.all(asked).map(_ -> asked.stream().map(Future::result).toList());
    });
    assertThat(results).allSatisfy(result -> assertThat(Fault.of(result.fault())).isEqualTo(Fault.NODE_LOST));
    assertThat(toldOver.keySet()).containsExactlyInAnyOrderElementsOf(NODES);
    assertThatThrownBy(() -> on(() -> leader.gather(
        new GatherPart(7, 2, "n3", Step.FINALIZE, Optional.empty(), Packed.NOTHING))))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NODE_LOST))
        .hasMessage("node n4 has left the cluster");
  }

  /** A program dies of the loss of a node in less time than the cluster needs to notice that loss. */
  @Test
  void aNodeThatIsMissedRightAfterARankHasEndedItsRun() {
    NODES.forEach(node -> states.put(node, running()));
    assertThat(waits()).isEqualTo("the application computes");
    on(() -> leader.lost(new LostRank(7, 0, Fault.RANK_LOST.number(), "rank 1 is lost")));
    leave("n9");
    assertThat(excused).as("a node without ranks").isEmpty();
    leave("n3");
    assertThat(excused).containsExactly(RUN);
  }

  /** The leader itself was lost: its ranks' run has ended on the others before the next one leads. */
  @Test
  void theNextLeaderHearsOfTheRunThatItsPredecessorWasLostFrom() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    states.put("n4", new NodeRunState(
        1, Optional.empty(), 0, Optional.empty(), false, Optional.empty(), Optional.of(RUN), 7));
    assertThat(waits()).isEqualTo("no run");
    assertThat(excused).containsExactly(RUN);
  }

  /** The launcher may report it some time after the run. A stopping node reports it for an active run only. */
  @Test
  void whoIsEndedFromOutsideIsExcusedWhileItRunsAndByItsLauncherAfterThatToo() throws Exception {
    NODES.forEach(node -> states.put(node, running()));
    assertThat(waits()).isEqualTo("the application computes");
    on(leader::stopping);
    assertThat(excused).containsExactly(RUN);
    on(() -> leader.lost(new LostRank(7, 0, Fault.RANK_LOST.number(), "rank 1 is lost")));
    on(leader::stopping);
    assertThat(excused).containsExactly(RUN);
    on(() -> {
      leader.endedFromOutside();
      return Future.succeededFuture();
    });
    assertThat(excused).containsExactly(RUN, RUN);
  }

  private void leave(String node) {
    leader.left(new NodeInfo(node, "host", "127.0.0.1", 1));
    time.settle();
  }

  /** The bus of a node that ends refuses at once, before the leader has noted that it has asked. */
  @Test
  void aTakeOverThatFailsAtOnceIsAnsweredWithItsCauseAndTriedAgain() {
    refusal = Optional.of(new ScrException(Fault.NODE_LOST, "node n2 was killed"));
    for (int tries = 0; tries < 2; tries++) {
      assertThatThrownBy(this::waits).isSameAs(refusal.get());
    }
    refusal = Optional.empty();
    NODES.forEach(node -> states.put(node, NO_RUN));
    assertThat(waits()).isEqualTo("no run");
  }

  private RunJoined join(String node, String leader, int size, Integer... ranks) {
    return on(() -> this.leader.join(new JoinRun(node, leader, "/p", "job", size, List.of(ranks), Optional.empty(),
        states.get(node).newestRun())));
  }

  private String waits() {
    return on(leader::waits).text();
  }

  @Test
  void ranksThatALostLeaderMayHaveNotedAreRefusedWhereOthersHaveHeardOfItsLoss() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    states.put("n4", new NodeRunState(
        1, Optional.empty(), 0, Optional.empty(), false, Optional.of("n1"), Optional.empty(), 0));
    RunJoined taken = join("n2", "n2", 4, 0);
    assertThat(taken.refusals()).isEmpty();
    assertThat(join("n3", "n1", 4, 1, 2).refusals()).hasSize(2).allSatisfy(refusal -> {
      assertThat(Fault.of(refusal.fault())).isEqualTo(Fault.NODE_LOST);
      assertThat(refusal.message()).contains("node n1", "bringing the ranks of the run together");
    });
    assertThat(toldOver).as("who waits for them").containsOnlyKeys("n2");
    assertThat(toldOver.get("n2").forming()).isEqualTo(taken.forming());
    assertThat(join("n3", "n2", 4, 1, 2).refusals()).as("another time").isEmpty();
    assertThat(waits()).isEqualTo("init: 2 of 4 ranks");
  }

  /** A lost leader with ranks of its own: its run had begun on all nodes, so late ranks belong to the next start. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ranksOfTheNextStartThatAskedALostLeaderWithRanksMayJoin(boolean oneHasHeardOfItsLoss) {
    RunInfo run = new RunInfo(7, "/p", "job", new RankMap(List.of("n1", "n2", "n3")), Optional.empty(),
        RunInfo.InitialState.NOTHING, null);
    states.putAll(Map.of("n2", inRun(run), "n3", inRun(run), "n4", NO_RUN));
    if (oneHasHeardOfItsLoss) {
      states.put("n3", new NodeRunState(
          1, Optional.empty(), 0, Optional.empty(), false, Optional.empty(), Optional.of(run), 7));
    }
    assertThat(waits()).isEqualTo("no run");
    assertThat(toldOver.get("n2").message()).contains("node n");
    assertThat(join("n3", "n1", 4, 0, 1).refusals()).isEmpty();
    assertThat(join("n4", "n1", 4, 2).refusals()).isEmpty();
    assertThat(waits()).isEqualTo("init: 3 of 4 ranks");
  }

  @Test
  void ranksOfANodeOnWhichALostLeaderHadNotBegunTheRunAreRefused() {
    states.putAll(Map.of("n2", running(), "n3", NO_RUN, "n4", running()));
    assertThat(join("n3", "n1", 4, 1).refusals()).hasSize(1).allSatisfy(refusal ->
        assertThat(refusal.message()).contains("node n1", "bringing the ranks of the run together"));
    assertThat(join("n4", "n1", 4, 2).refusals()).as("of the next start").isEmpty();
  }

  @Test
  void unacknowledgedRanksOfALostLeaderJoinTheNextOneWithinALimit() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    assertThat(join("n2", "n2", 4, 0).refusals()).isEmpty();
    assertThat(join("n3", "n1", 4, 1, 2).refusals()).isEmpty();
    assertThat(waits()).isEqualTo("init: 3 of 4 ranks");
    assertThat(time.runUntil(() -> toldOver.size() == 2, Duration.ofSeconds(59))).as("gives up").isFalse();
    assertThat(time.runUntil(() -> toldOver.size() == 2, Duration.ofSeconds(2))).as("gives up").isTrue();
    assertThat(toldOver).containsOnlyKeys("n2", "n3")
        .allSatisfy((_, over) -> {
          assertThat(Fault.of(over.fault())).isEqualTo(Fault.NODE_LOST);
          assertThat(over.message()).contains("node n1", "[3]");
        });
    assertThat(waits()).isEqualTo("no run");
  }

  /** A message that is forged, or comes long after its ranks have gone. */
  @Test
  void ranksThatDoNotWaitWhereTheyAreSaidToAreForgotten() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    waiting.put("n3", List.of());
    assertThat(join("n3", "n2", 4, 1, 2).refusals()).isEmpty();
    assertThat(waits()).isEqualTo("init: 2 of 4 ranks");
    time.runUntil(() -> false, Duration.ofSeconds(6));
    assertThat(waits()).isEqualTo("no run");
    assertThat(toldOver).isEmpty();
  }

  @Test
  void whoDisagreesWithRanksThatAreNotThereTakesTheirPlace() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    waiting.put("n3", List.of(2));
    join("n3", "n2", 8, 0, 1);
    assertThat(join("n4", "n2", 4, 1).refusals()).isEmpty();
    assertThat(waits()).isEqualTo("init: 1 of 4 ranks");
    waiting.put("n2", List.of());
    assertThat(join("n2", "n2", 9, 0, 3).refusals()).hasSize(2).allSatisfy(refusal ->
        assertThat(Fault.of(refusal.fault())).isEqualTo(Fault.RANK_LOST));
    assertThat(toldOver.get("n4")).as("what others are told who wait").isNull();
    assertThat(waits()).isEqualTo("init: 1 of 4 ranks");
  }

  @Test
  void aRankThatDoesNotWaitAnyMoreWhenAllAreThereIsLost() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    restores = true;
    join("n2", "n2", 2, 0);
    join("n3", "n2", 2, 1);
    waiting.put("n3", List.of());
    time.runUntil(() -> false, Duration.ofSeconds(6));
    assertThat(toldOver).containsOnlyKeys("n2", "n3")
        .allSatisfy((_, over) -> assertThat(Fault.of(over.fault())).isEqualTo(Fault.RANK_LOST));
    assertThat(waits()).isEqualTo("no run");
  }

  /** The report of a lost rank and the answer to a pulse go different ways, so the answer may be here first. */
  @Test
  void whereTheAnswerToAPulseOvertakesTheReportOfALostRankTheRankIsNamedAllTheSame() {
    NODES.forEach(node -> states.put(node, running()));
    assertThat(waits()).isEqualTo("the application computes");
    String why = "rank 3 on node n3 is lost: its connection ended without finalize";
    lost.put("n3", new LostRank(7, 0, Fault.RANK_LOST.number(), why));
    states.put("n3", NO_RUN);
    assertThat(time.runUntil(() -> toldOver.size() == NODES.size(), Duration.ofSeconds(10))).isTrue();
    assertThat(toldOver.values()).allSatisfy(over -> {
      assertThat(over.message()).isEqualTo(why);
      assertThat(Fault.of(over.fault())).isEqualTo(Fault.RANK_LOST);
    });
  }

  /** As when the cause is that of another run. */
  @Test
  void aNodeWhoseRunIsOverForAReasonThatNobodyKnowsIsNamed() {
    NODES.forEach(node -> states.put(node, running()));
    assertThat(waits()).isEqualTo("the application computes");
    lost.put("n3", new LostRank(6, 0, Fault.RANK_LOST.number(), "rank 0 of the run before"));
    states.put("n3", NO_RUN);
    assertThat(time.runUntil(() -> toldOver.size() == NODES.size(), Duration.ofSeconds(10))).isTrue();
    assertThat(toldOver.get("n2").message()).contains("node n3 takes no part any more in run 7");
  }

  /** Those who wait for a rank that has gone unseen hear so some time later. */
  @Test
  void whereOneOfSomeIsForgottenTheOthersDoNotWaitForever() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    waiting.put("n3", List.of());
    join("n2", "n2", 4, 0);
    join("n3", "n2", 4, 1, 2);
    time.runUntil(() -> false, Duration.ofSeconds(6));
    assertThat(waits()).isEqualTo("init: 1 of 4 ranks");
    assertThat(time.runUntil(() -> !toldOver.isEmpty(), Duration.ofSeconds(61))).isTrue();
    assertThat(toldOver).containsOnlyKeys("n2");
    assertThat(toldOver.get("n2").message()).contains("ranks [1, 2] on node n3 have gone", "[1, 2, 3]");
  }

  /** Its ranks ask again, and are not those of a lost node. */
  @Test
  void aNodeWhoseFirstMessageOvertakesTheNewsOfItIsToAskAgain() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    join("n3", "n2", 2, 0);
    assertThatThrownBy(() -> on(() -> leader.join(
        new JoinRun("n9", "n2", "/p", "job", 2, List.of(1), Optional.empty(), 0))))
        .isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NOT_LEADER));
    assertThat(waits()).isEqualTo("init: 1 of 2 ranks");
    assertThat(toldOver).isEmpty();
  }

  @Test
  void aRankThatMayNotJoinIsToldToAllWhoWait() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    join("n3", "n2", 3, 1);
    join("n4", "n2", 3, 2);
    assertThat(join("n2", "n2", 3, 2).refusals()).hasSize(1);
    assertThat(toldOver).containsOnlyKeys("n3", "n4").allSatisfy((_, over) -> {
      assertThat(Fault.of(over.fault())).isEqualTo(Fault.DUPLICATE_RANK);
      assertThat(over.message()).contains("rank 2", "node n2", "node n4");
    });
    toldOver.clear();
    join("n3", "n2", 3, 1);
    String why = "rank 7 on node n2 gives another size";
    on(() -> leader.lost(new LostRank(0, 0, Fault.RANKS_DISAGREE.number(), why)));
    assertThat(toldOver).containsOnlyKeys("n3");
    assertThat(toldOver.get("n3").message()).isEqualTo(why);
  }

  @Test
  void whoComesWhenAllAreThereIsRefusedAloneAndALostRankEndsItAllTheSame() {
    NODES.forEach(node -> states.put(node, NO_RUN));
    restores = true;
    join("n3", "n2", 2, 0, 1);
    assertThat(waits()).isEqualTo("restoring a checkpoint for 2 ranks");
    assertThat(on(leader::waits).forming()).as("what rank 0 says").hasValue(
        new FormingView(0, "for the daemons to prepare the restart: none of 2 ranks is missing"));
    assertThat(join("n4", "n2", 8, 1, 2).refusals()).hasSize(2);
    on(() -> leader.lost(new LostRank(0, 0, Fault.RANKS_DISAGREE.number(), "another one")));
    assertThat(toldOver).isEmpty();
    on(() -> leader.lost(new LostRank(0, 0, Fault.RANK_LOST.number(), "rank 1 is lost")));
    assertThat(toldOver).containsOnlyKeys("n3");
  }
}
