package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.node.NodeVerb;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: leader messages of a phase scale with nodes only. A node asks each other node about its paths at most once,
 * and sends its small files with that; few of them go with the gather.
 * Method: count the messages.
 */
class PhaseMessagesTest extends EmbeddedTest {
  private static final int PHASES = 3;

  /** Nodes asked about paths, by the asking node and its gather. */
  private final Map<String, List<String>> claims = new ConcurrentHashMap<>();

  private int messages(int nodes, int ranksOfNode) throws Exception {
    return messages(nodes, ranksOfNode, 0);
  }

  /** Messages that the leader answers in one phase of so many nodes and ranks. */
  private int messages(int nodes, int ranksOfNode, int filesOfRank) throws Exception {
    return messages(nodes, ranksOfNode, filesOfRank, TestCluster.Setup.of(Scheme.XOR));
  }

  private int messages(int nodes, int ranksOfNode, int filesOfRank, TestCluster.Setup setup) throws Exception {
    String[] names = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toArray(String[]::new);
    List<String> nodeOfRank = new ArrayList<>();
    for (String name : names) {
      for (int rank = 0; rank < ranksOfNode; rank++) {
        nodeOfRank.add(name);
      }
    }
    Set<String> ofLeader = Arrays.stream(NodeVerb.values()).filter(NodeVerb::isForLeader)
        .filter(verb -> verb != NodeVerb.SYNCED)            // said behind the phase, where the store is a disk
        .map(verb -> verb.address("n1")).collect(Collectors.toSet());
    AtomicInteger count = new AtomicInteger();
    Handler<DeliveryContext<Object>> counter = sent -> {
      if (ofLeader.contains(sent.message().address())) {
        count.incrementAndGet();
      }
      if (sent.message().address().endsWith(".node.claim-paths")) {
        JsonObject claim = ((Buffer) sent.body()).toJsonObject();
        String asking = claim.getString("node") + " " + claim.getLong("gather");
        claims.computeIfAbsent(asking, _ -> new CopyOnWriteArrayList<>()).add(sent.message().address());
      }
      sent.next();
    };
    CyclicBarrier all = new CyclicBarrier(nodeOfRank.size());
    try (TestCluster cluster = new TestCluster(vertx, Files.createDirectories(
        directory.resolve(nodes + "x" + ranksOfNode + "x" + filesOfRank)), setup, names)) {
      cluster.all(EmbeddedRun.withoutFinalize(nodeOfRank.size(), scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 1);
        if (all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS) == 0) {
          vertx.eventBus().addOutboundInterceptor(counter);
        }
        all.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        for (int phase = 0; phase < PHASES; phase++) {
          Output output = scr.startCheckpoint("step-" + (2 + phase));
          for (int file = 0; file < filesOfRank; file++) {
            Files.writeString(output.route(cluster.prefix() + "/" + phase + "/" + scr.rank() + "." + file), "x");
          }
          output.complete(true);
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
    assertThat(claims).isEmpty();
    assertThat(messages(4, 2, 5)).isEqualTo(2 * two);
    assertThat(claims).as("few small files are carried by the gather").isEmpty();
    assertThat(messages(4, 2, 20)).isEqualTo(2 * two);
    assertThat(claims).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5, 1, 1, 1", "5, 1, 3, 3", "3, 2, 8, 2", "4, 3, 4, 3", "1, 4, 4, 0"})
  void whosePathsTheyAreANodeAsksEachOtherNodeOnceAndNoMoreThanItHasFiles(
      int nodes, int ranksOfNode, int filesOfRank, int most) throws Exception {
    messages(nodes, ranksOfNode, filesOfRank, TestCluster.Setup.of(Scheme.XOR).with("SCR_SMALL_BYTES", "0"));
    assertThat(claims.size()).isBetween(most == 0 ? 0 : 1, nodes * PHASES);
    claims.forEach((asking, asked) -> assertThat(asked).as(asking).doesNotHaveDuplicates()
        .doesNotContain(NodeVerb.CLAIM_PATHS.address(asking.split(" ")[0])).hasSizeLessThanOrEqualTo(most));
  }

  @Test
  void smallFilesGoToTheOtherNodesOfTheirSetsWithTheQuestionOnce() throws Exception {
    messages(4, 2, Limits.MAX_CARRIED_FILES);
    assertThat(claims).hasSize(4 * PHASES);
    claims.forEach((asking, asked) -> assertThat(asked).as(asking).doesNotHaveDuplicates().hasSize(3));
  }
}
