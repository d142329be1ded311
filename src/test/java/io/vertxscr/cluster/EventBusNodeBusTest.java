package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.VertxLoop;
import io.vertxscr.protocol.Replies;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap.KeySetView;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Goal: a request reaches the current leader through failovers, and only its answer counts. */
class EventBusNodeBusTest {
  private static final int PATIENCE_S = 20;
  private static Vertx vertx;

  private final EmbeddedMembership members = new EmbeddedMembership();
  private final KeySetView<String, Boolean> asked = ConcurrentHashMap.newKeySet();
  private final AtomicInteger questions = new AtomicInteger();

  @BeforeAll
  static void open() {
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void close() {
    vertx.close().await();
  }

  /** A node that answers questions to a leader with these, one after the other; the last one stays. */
  private EventBusNodeBus join(String name, List<Future<Ack>> answers) {
    Queue<Future<Ack>> left = new ArrayDeque<>(answers);
    if (!answers.isEmpty()) {
      vertx.eventBus().<Buffer>consumer(NodeVerb.WAITS.address(name), message -> {
        asked.add(name);
        questions.incrementAndGet();
        (left.size() > 1 ? left.remove() : left.peek()).map(_ -> Buffer.buffer("{}")).onComplete(
            (reply, failure) -> Replies.to(message).complete(reply, failure));
      });
    }
    Loop loop = new VertxLoop(vertx, (what, _) -> CompletableFuture.failedFuture(new AssertionError(what)));
    Membership membership = members.join(new NodeInfo(name, "host", "127.0.0.1", 1));
    return new EventBusNodeBus(vertx.eventBus(), loop, membership, new Epoch(membership));
  }

  private static Future<Ack> refused(Fault fault) {
    return Future.failedFuture(new ScrException(fault, "no " + fault));
  }

  @Test
  void thatANodeIsLostIsAnAnswerOfTheLeaderAndIsNotAskedForAgain() {
    join("a1", List.of(refused(Fault.NODE_LOST)));
    EventBusNodeBus bus = join("a2", List.of());
    assertThatThrownBy(() -> bus.askLeader(NodeVerb.WAITS, Ack.ACK, Ack.class).await(PATIENCE_S, TimeUnit.SECONDS))
        .hasMessage("no NODE_LOST");
    assertThat(questions).hasValue(1);
  }

  @Test
  void whoDoesNotLeadYetIsAskedAgain() throws Exception {
    join("b1", List.of(refused(Fault.NOT_LEADER), refused(Fault.NOT_LEADER), Future.succeededFuture(Ack.ACK)));
    EventBusNodeBus bus = join("b2", List.of());
    assertThat(bus.askLeader(NodeVerb.WAITS, Ack.ACK, Ack.class).await(PATIENCE_S, TimeUnit.SECONDS))
        .isEqualTo(Ack.ACK);
    assertThat(questions).hasValue(3);
  }

  @Test
  void whenTheLeaderLeavesBeforeItHasAnsweredTheNextOneIsAsked() throws Exception {
    vertx.eventBus().<Buffer>consumer(NodeVerb.WAITS.address("c1"), _ -> members.leave("c1"));
    join("c1", List.of());
    join("c2", List.of(Future.succeededFuture(Ack.ACK)));
    EventBusNodeBus bus = join("c3", List.of());
    assertThat(bus.askLeader(NodeVerb.WAITS, Ack.ACK, Ack.class).await(PATIENCE_S, TimeUnit.SECONDS))
        .isEqualTo(Ack.ACK);
    assertThat(asked).containsExactly("c2");
  }
}
