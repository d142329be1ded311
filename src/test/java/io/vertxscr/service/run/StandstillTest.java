package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: a leader that stood still notes no ranks while the others may have taken it for lost. Method: n1 leads n2 and
 * n3, and stands still; ranks call init when it goes on, and the news that it is alone come later.
 */
class StandstillTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");

  private final List<NodeInfo> members = new ArrayList<>(NODES.stream().map(StandstillTest::info).toList());
  /** Nodes that take n1 for lost. */
  private final Set<String> estranged = new TreeSet<>();
  private final List<String> toldOver = new ArrayList<>();
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Nodes nodes = new Nodes();
  private boolean stands;
  private final Loop loop = time.loop(new VirtualTime.NodeCondition() {
    @Override
    public boolean lives() {
      return true;
    }

    @Override
    public boolean runs() {
      return !stands;
    }
  });
  private final LeaderService leader =
      new LeaderService(loop, new Bus(), nodes, new Epoch(nodes), new RunNumbers());

  private static NodeInfo info(String name) {
    return new NodeInfo(name, "host", "127.0.0.1", 1);
  }

  private final class Nodes implements Membership {
    private Listener listener;

    @Override
    public NodeInfo self() {
      return info("n1");
    }

    @Override
    public List<NodeInfo> nodes() {
      return List.copyOf(members);
    }

    @Override
    public void listen(Listener by) {
      listener = by;
    }
  }

  /** Who is estranged follows another leader. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      assertThat(verb).isEqualTo(NodeVerb.TAKEOVER);
      return estranged.contains(node)
          ? Future.failedFuture(new ScrException(Fault.NOT_LEADER, "node " + node + " follows n2"))
          : Future.succeededFuture(answer.cast(NodeRunState.none(1)));
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      assertThat(verb).isEqualTo(NodeVerb.RUN_OVER);
      toldOver.add(node);
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
  }

  private void leads() {
    assertThat(time.await(loop.call(leader::waits)).succeeded()).isTrue();
  }

  private void standsStill(Duration some) {
    stands = true;
    pass(some);
    stands = false;
  }

  private void pass(Duration some) {
    time.runUntil(() -> false, some);
  }

  private Future<RunJoined> joins(String node, int rank) {
    return loop.call(() -> leader.join(
        new JoinRun(node, "n1", "/p", "job", NODES.size(), List.of(rank), Optional.empty(), 0)));
  }

  private void leaves(String node) {
    members.remove(info(node));
    nodes.listener.left(info(node));
  }

  @Test
  void aLeaderThatTheOthersHaveGivenUpNotesItsOwnRanksAlone() {
    leads();
    standsStill(Duration.ofSeconds(6));
    estranged.addAll(List.of("n2", "n3"));
    Future<RunJoined> other = joins("n3", 2);
    Future<RunJoined> own = joins("n1", 0);
    pass(Duration.ofMillis(20));
    leaves("n2");
    leaves("n3");
    pass(Duration.ofSeconds(2));
    assertThat(other.cause()).isInstanceOfSatisfying(ScrException.class,
        why -> assertThat(why.fault()).as("asks the next leader").isEqualTo(Fault.NOT_LEADER));
    assertThat(own.result().refusals()).as("and goes on waiting").isEmpty();
    assertThat(toldOver).isEmpty();
  }

  @Test
  void oneThatTheOthersStillFollowNotesAllRanksAMomentLater() {
    leads();
    standsStill(Duration.ofSeconds(4));
    List<Future<RunJoined>> joined = List.of(joins("n2", 1), joins("n3", 2));
    pass(Duration.ofMillis(900));
    assertThat(joined).noneMatch(Future::isComplete);
    pass(Duration.ofMillis(200));
    assertThat(joined).allSatisfy(answer -> assertThat(answer.result().refusals()).isEmpty());
    assertThat(toldOver).isEmpty();
  }

  @Test
  void aPauseThatNobodyMissesDelaysNobody() {
    leads();
    standsStill(Duration.ofMillis(1_900));
    Future<RunJoined> joined = joins("n2", 1);
    time.settle();
    assertThat(joined.result().refusals()).isEmpty();
  }
}
