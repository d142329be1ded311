package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.Settings;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.InitWaitRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.JoinRefusal;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Goal: ranks waiting in init are told what concerns them only, in any order of messages. Method: node n2 alone; the
 * test answers for the leader n1, and for n3, which leads after it.
 */
class RunServiceTest {
  private static final RunPolicy POLICY = Settings.load(Map.of(), Optional.empty()).policy();

  /** By age. */
  private final List<String> members = new ArrayList<>(List.of("n1", "n3", "n2"));
  private final List<Promise<RunJoined>> joins = new ArrayList<>();
  private final List<JoinRun> asked = new ArrayList<>();
  private final List<LostRank> told = new ArrayList<>();
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final RunService runs = new RunService(
      loop, new Bus(), new Nodes(), new Epoch(new Nodes()), AdmittedPrefixes.of(loop, "/p"));

  /** Keeps what the leader is asked, for the test to answer. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      asked.add((JoinRun) request);
      Promise<RunJoined> promise = loop.promise();
      joins.add(promise);
      return promise.future().map(answer::cast);
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError("n2 does not lead");
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      if (verb == NodeVerb.WAITS) {
        return Future.failedFuture(new ScrException(Fault.NODE_LOST, "node n1 does not answer"));
      }
      told.add((LostRank) request);
      return Future.succeededFuture(answer.cast(Ack.ACK));
    }

    @Override
    public void onlyLeader(String name) {
      // The test answers.
    }
  }

  private final class Nodes implements Membership {
    @Override
    public NodeInfo self() {
      return info("n2");
    }

    @Override
    public List<NodeInfo> nodes() {
      return members.stream().map(Nodes::info).toList();
    }

    private static NodeInfo info(String name) {
      return new NodeInfo(name, "host", "127.0.0.1", 1);
    }

    @Override
    public void listen(Listener listener) {
      // Nobody comes or goes.
    }
  }

  private <T> T on(Supplier<T> call) {
    return time.await(loop.call(() -> Future.succeededFuture(call.get()))).result();
  }

  private Future<InitReply> init(int rank, String client) {
    return on(() -> runs.init(new InitRequest(rank, 2, "/p", "job"), client));
  }

  private void answer(int join, long forming, JoinRefusal... refusals) {
    on(() -> joins.get(join).tryComplete(new RunJoined("n1", forming, List.of(refusals))));
  }

  private void begin(long run) {
    begin(run, "n2");
  }

  private void begin(long run, String other) {
    on(() -> runs.begin(new RunInfo(
        run, "/p", "job", new RankMap(List.of("n2", other)), Optional.empty(), RunInfo.InitialState.NOTHING, POLICY)));
  }

  private NodeRunState takeover() {
    time.settle();
    members.remove("n1");
    return on(() -> runs.takeover(new Takeover("n3", 2, "n3/1")).result());
  }

  private static void assertFailed(Future<InitReply> init, Fault fault, String named) {
    assertThat(init.cause()).isInstanceOfSatisfying(ScrException.class, e -> {
      assertThat(e.fault()).isEqualTo(fault);
      assertThat(e.getMessage()).contains(named);
    });
  }

  @Test
  void aNodeIsTakenOverOnlyByTheOneThatItSeesLead() {
    Future<InitReply> rank = init(0, "c0");
    answer(0, 1);
    Throwable refusal = time.await(loop.call(() -> runs.takeover(new Takeover("n3", 9, "n3/1")))).cause();
    assertThat(refusal).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NOT_LEADER));
    assertThat(rank.isComplete()).as("a node that was cut off and does not know it yet changes nothing").isFalse();
    assertThat(takeover().epoch()).isEqualTo(2);
    assertThat(rank.failed()).isTrue();
  }

  @Test
  void ranksOfTheNextRunDoNotFallWithALeaderWhoseAnswerToTheLastOneCameLate() {
    Future<InitReply> first = init(0, "a");
    Future<InitReply> second = init(1, "b");
    begin(1);                                              // overtakes the answer to the JOIN
    assertThat(first.succeeded() && second.succeeded()).isTrue();
    on(() -> runs.over(new RunEnd(1, 0, Fault.NODE_LOST.number(), "node n9 has left")));
    Future<InitReply> next = init(0, "c");
    answer(0, 1);
    NodeRunState state = takeover();
    assertThat(next.isComplete()).as("waits for the next leader to note it").isFalse();
    assertThat(state.failedLeader()).isEmpty();
    assertThat(asked.getLast().here()).containsExactly(0);
  }

  @Test
  void ranksThatNoLeaderHasNotedJoinAgainAtTheNextOneByThemselves() {
    Future<InitReply> waiting = init(0, "a");
    NodeRunState state = takeover();
    assertThat(state.failedLeader()).isEmpty();
    on(() -> joins.getFirst().tryFail(new ScrException(Fault.NOT_LEADER, "node n3 leads now")));
    awaitSecondJoin();
    assertThat(on(() -> asked.getLast().leader())).as("who may have noted it").isEqualTo("n1");
    assertThat(waiting.isComplete()).isFalse();
  }

  private void awaitSecondJoin() {
    assertThat(time.runUntil(() -> asked.size() == 2, Duration.ofSeconds(2))).as("asks again").isTrue();
  }

  @Test
  void ranksThatHaveBegunDoNotJoinAtTheNextLeaderThoughTheLastOneNeverAnswered() {
    init(0, "a");
    init(1, "b");
    begin(1);
    on(() -> runs.over(new RunEnd(1, 0, Fault.NODE_LOST.number(), "node n9 has left")));
    init(1, "c");
    on(() -> joins.getFirst().tryFail(new ScrException(Fault.NOT_LEADER, "node n3 leads now")));
    awaitSecondJoin();
    assertThat(on(() -> asked.getLast().here())).containsExactly(1);
  }

  @Test
  void ranksThatALostLeaderHadNotedHearOfItAndTheNextLeaderTooHoweverOftenItAsks() {
    Future<InitReply> noted = init(0, "a");
    answer(0, 7);
    Future<InitReply> later = init(1, "b");
    assertThat(takeover().failedLeader()).hasValue("n1");
    assertFailed(noted, Fault.NODE_LOST, "node n1");
    assertFailed(later, Fault.NODE_LOST, "node n1");
    assertThat(takeover().failedLeader()).hasValue("n1");
    begin();
    assertThat(takeover().failedLeader()).as("a run has begun since").isEmpty();
  }

  @Test
  void theLeaderHearsOfANodeThatLeavesWhenItsRunIsOver() {
    init(0, "a");
    begin(1, "n3");
    on(() -> runs.over(new RunEnd(1, 0, Fault.RANK_LOST.number(), "rank 1 is lost")));
    runs.left(Nodes.info("n9"));
    time.settle();
    assertThat(told).as("a node without ranks").isEmpty();
    runs.left(Nodes.info("n3"));
    time.settle();
    assertThat(told).singleElement().returns(1L, LostRank::run).returns(Fault.NODE_LOST.number(), LostRank::fault);
  }

  /** The leader takes it for one of the next run. */
  @Test
  void aRankThatSaysThatItWaitsJustWhenItsRunIsRefusedHearsOfThat() {
    Future<InitReply> rank = init(0, "a");
    answer(0, 7);
    assertThat(time.runUntil(() -> asked.size() == 2, Duration.ofMinutes(1))).as("says so again").isTrue();
    answer(1, 8);
    on(() -> runs.over(new RunEnd(0, 7, Fault.IO.number(), "a dataset cannot be flushed")));
    assertFailed(rank, Fault.IO, "cannot be flushed");
    time.runUntil(() -> !told.isEmpty(), Duration.ofSeconds(2));
    assertThat(told).as("the next run does not wait for it").singleElement()
        .returns(8L, LostRank::forming).returns(Fault.RANK_LOST.number(), LostRank::fault);
  }

  private void begin() {
    init(0, "c");
    init(1, "d");
    begin(2);
  }

  @Test
  void aRankThatMayNotJoinIsToldToTheLeaderAndToThoseWhomTheLeaderDoesNotKnow() {
    Future<InitReply> noted = init(0, "a");
    answer(0, 7);
    Future<InitReply> unknown = init(1, "b");
    Future<InitReply> doubled = loop.call(() -> runs.init(new InitRequest(1, 2, "/p", "job"), "c"));
    time.settle();
    assertFailed(doubled, Fault.DUPLICATE_RANK, "rank 1");
    assertFailed(unknown, Fault.DUPLICATE_RANK, "rank 1");
    assertThat(noted.isComplete()).as("hears of it from the leader").isFalse();
    assertThat(told).singleElement().satisfies(lost -> {
      assertThat(lost.fault()).isEqualTo(Fault.DUPLICATE_RANK.number());
      assertThat(lost.run()).isZero();
      assertThat(lost.message()).contains("rank 1", "n2");
    });
    on(() -> runs.over(new RunEnd(0, 7, Fault.DUPLICATE_RANK.number(), told.getFirst().message())));
    assertFailed(noted, Fault.DUPLICATE_RANK, "rank 1");
  }

  @Test
  void whereNoLeaderAnswersTheLowestRankOfTheNodeSaysSo() {
    init(1, "a");
    init(0, "b");
    assertThat(remarks("a")).isEmpty();
    assertThat(remarks("b")).hasValue(List.of("init has waited 119 s for the leader, which cannot be asked: node n1"
        + " does not answer (scr status tells more)"));
    assertThat(remarks("c")).isEmpty();
  }

  private Optional<List<String>> remarks(String client) {
    return time.await(loop.call(() -> runs.initWait(new InitWaitRequest(119), client))).result().remarks();
  }

  @Test
  void ranksOfANodeThatStopsAreRefusedAndNobodyWaitsForThem() {
    on(() -> {
      runs.stopping();
      return null;
    });
    Future<InitReply> refused = loop.call(() -> runs.init(new InitRequest(0, 2, "/p", "job"), "a"));
    time.settle();
    assertFailed(refused, Fault.STOPPING, "node n2 is stopping");
    assertThat(told).singleElement().satisfies(lost ->
        assertThat(lost.fault()).isEqualTo(Fault.STOPPING.number()));
  }
}
