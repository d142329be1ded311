package io.vertxscr.service.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.EmbeddedMembership;
import io.vertxscr.flow.From;
import io.vertxscr.flow.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.Running.Gather;
import io.vertxscr.protocol.node.Running.Gathered;
import io.vertxscr.protocol.node.Running.Join;
import io.vertxscr.protocol.node.Running.Over;
import io.vertxscr.protocol.node.Running.State;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever the last leader had told to some nodes only, the next one tells to all, so that nobody waits for ever.
 * Method: two nodes with a rank each, one step apart; what they report to the new leader is given.
 */
class LeaderTakeoverTest {
  private static final int PATIENCE_S = 30;
  private static final RunInfo RUN = new RunInfo(7, "/p", "job", new RankMap(List.of("n1", "n2")), Optional.empty(),
      new RunInfo.Last(0, 0), new RunInfo.Policy(Scheme.XOR, 8, 0, true, 1));
  private static final Gathered RESULT = new Gathered(0, "", new JsonObject().put("result", 5));

  private final Map<String, State> states = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> commands = new ConcurrentLinkedQueue<>();
  private Vertx vertx;
  private Loop loop;
  private LeaderService leader;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    loop = new Loop(vertx, (_, _) -> new CompletableFuture<>());
    EmbeddedMembership cluster = new EmbeddedMembership();
    Membership self = cluster.join(new NodeInfo("n1", "host", "127.0.0.1", 1, "/cache/n1"));
    cluster.join(new NodeInfo("n2", "host", "127.0.0.1", 2, "/cache/n2"));
    leader = new LeaderService(loop, new Bus(), self, new Epoch(), new Nothing());
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return Future.succeededFuture(answer.cast(states.get(node)));
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      commands.add(node + " " + verb + (request instanceof Over over ? " " + over.message() : ""));
      return Future.succeededFuture(answer.cast(Ack.ACK));
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError("a leader asks no leader");
    }

    @Override
    public void onlyLeader(String name) {
      throw new AssertionError("that is for the nodes");
    }
  }

  private static final class Nothing implements LeaderActions {
    @Override
    public Future<RunInfo> restore(String prefix, String jobName, RankMap map, List<Integer> excluded) {
      return Future.succeededFuture(RUN);
    }

    @Override
    public Future<JsonObject> decide(ActiveRun run, Step step, List<From<JsonObject>> parts) {
      return Future.succeededFuture(new JsonObject());
    }

    @Override
    public void begun(RunInfo info) {}

    @Override
    public void over() {}

    @Override
    public void resume() {}
  }

  private static State state(long number, boolean finalized, Optional<Over> over) {
    return new State(1, Optional.of(RUN), number, number == 0 ? Optional.empty() : Optional.of(RESULT), finalized,
        over);
  }

  private <T> T on(Supplier<Future<T>> call) throws Exception {
    return loop.call(call).toCompletionStage().toCompletableFuture().get(PATIENCE_S, TimeUnit.SECONDS);
  }

  private Gathered gather(String node, long number, Step step) throws Exception {
    return on(() -> leader.gather(new Gather(RUN.run(), number, node, step, Optional.empty(), new JsonObject())));
  }

  @Test
  void aNodeThatMissedTheResultOfFinalizeGetsItAndTheNextRunMayBegin() throws Exception {
    states.put("n1", state(5, true, Optional.empty()));
    states.put("n2", state(4, false, Optional.empty()));
    assertThat(gather("n2", 5, Step.FINALIZE)).isEqualTo(RESULT);
    assertThat(on(() -> leader.join(new Join("n1", "/p", "job", 2, List.of(0)))).refusals()).isEmpty();
    assertThat(on(leader::waits).text()).isEqualTo("init: 1 of 2 ranks");
  }

  @Test
  void theEndOfARunThatOneNodeHasHeardOfIsToldToAll() throws Exception {
    states.put("n1", state(5, false, Optional.of(new Over(7, Fault.RANK_LOST.number(), "rank 0 is lost"))));
    states.put("n2", state(5, false, Optional.empty()));
    assertThatThrownBy(() -> gather("n2", 6, Step.START_OUTPUT)).cause()
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.RANK_LOST));
    assertThat(commands).containsExactlyInAnyOrder("n1 RUN_OVER rank 0 is lost", "n2 RUN_OVER rank 0 is lost");
  }

  @Test
  void theBeginningOfARunThatOneNodeHasHeardOfIsToldToAll() throws Exception {
    states.put("n1", state(0, false, Optional.empty()));
    states.put("n2", State.none(1));
    assertThat(on(() -> leader.join(new Join("n2", "/p", "job", 2, List.of(1)))).refusals()).isEmpty();
    assertThat(commands).containsExactlyInAnyOrder("n1 RUN_BEGIN", "n2 RUN_BEGIN");
  }

  @Test
  void aRunInTheMiddleGoesOnFromTheNewestResult() throws Exception {
    states.put("n1", state(5, false, Optional.empty()));
    states.put("n2", state(4, false, Optional.empty()));
    assertThat(gather("n2", 5, Step.START_OUTPUT)).isEqualTo(RESULT);
    assertThatThrownBy(() -> on(() -> leader.join(new Join("n3", "/q", "job", 2, List.of(0))))).cause()
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.RUN_IN_PROGRESS));
    assertThat(commands).isEmpty();
  }
}
