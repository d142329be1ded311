package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.node.NodeVerb;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: what a phase asks of the leader grows with the nodes, and with nothing else. Method: count its messages. */
class PhaseMessagesTest extends EmbeddedTest {
  private static final int PHASES = 3;

  /** Messages that the leader answers in one phase of so many nodes and ranks. */
  private int messages(int nodes, int ranksOfNode) throws Exception {
    String[] names = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toArray(String[]::new);
    List<String> nodeOfRank = new ArrayList<>();
    for (String name : names) {
      for (int rank = 0; rank < ranksOfNode; rank++) {
        nodeOfRank.add(name);
      }
    }
    Set<String> ofLeader = Arrays.stream(NodeVerb.values()).filter(NodeVerb::isForLeader)
        .map(verb -> verb.address("n1")).collect(Collectors.toSet());
    AtomicInteger count = new AtomicInteger();
    Handler<DeliveryContext<Object>> counter = sent -> {
      if (ofLeader.contains(sent.message().address())) {
        count.incrementAndGet();
      }
      sent.next();
    };
    CyclicBarrier all = new CyclicBarrier(nodeOfRank.size());
    try (TestCluster cluster = new TestCluster(vertx, Files.createDirectories(
        directory.resolve(nodes + "x" + ranksOfNode)), TestCluster.Setup.of(Scheme.XOR), names)) {
      cluster.all(EmbeddedRun.withoutFinalize(nodeOfRank.size(), scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 1);
        if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
          vertx.eventBus().addOutboundInterceptor(counter);
        }
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        for (int phase = 0; phase < PHASES; phase++) {
          scr.startCheckpoint("step-" + (2 + phase)).complete(true);
        }
        if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
          vertx.eventBus().removeOutboundInterceptor(counter);
        }
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        return 0;
      }), nodeOfRank.toArray(String[]::new));
    }
    assertThat(count.get()).isPositive();
    assertThat(count.get() % PHASES).as("each phase asks as much").isZero();
    return count.get() / PHASES;
  }

  @Test
  void whatAPhaseAsksOfTheLeaderGrowsWithTheNodesOnly() throws Exception {
    int two = messages(2, 1);
    assertThat(messages(2, 24)).isEqualTo(two);
    assertThat(messages(4, 1)).isEqualTo(2 * two);
    assertThat(messages(4, 12)).isEqualTo(2 * two);
    assertThat(messages(8, 2)).isEqualTo(4 * two);
  }
}
