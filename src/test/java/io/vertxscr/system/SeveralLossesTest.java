package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.timing.Eventually;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: Reed-Solomon survives the loss of any two nodes at once, and refuses three. A node that dies while others wait
 * for its parity causes no deadlock.
 */
class SeveralLossesTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3", "n4"};

  private TestCluster cluster() throws Exception {
    return new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.RS), NODES);
  }

  static Stream<Arguments> pairs() {
    return IntStream.range(0, 4).boxed().flatMap(first -> IntStream.range(first + 1, 4)
        .mapToObj(second -> Arguments.of(NODES[first], NODES[second])));
  }

  @ParameterizedTest(name = "{0} and {1}")
  @MethodSource("pairs")
  void anyTwoNodesLostAtOnceAreRebuiltOnSparesAndTwoMoreAfterThem(String first, String second) throws Exception {
    try (TestCluster cluster = cluster()) {
      assertThat(cluster.steps(1, 2, NODES)).isZero();
      String[] nodes = NODES;
      for (List<String> lost : List.of(List.of(first, second), others(first, second))) {
        nodes = lose(cluster, nodes, lost);
        assertThat(cluster.restart(nodes)).isEqualTo(2);
        cluster.awaitProtected(nodes);
      }
    }
  }

  private static List<String> others(String first, String second) {
    return Stream.of(NODES).filter(node -> !node.equals(first) && !node.equals(second)).toList();
  }

  /** Each lost node is replaced by one with another name. */
  private static String[] lose(TestCluster cluster, String[] nodes, List<String> lost) throws Exception {
    for (String node : lost) {
      cluster.lose(node);
      cluster.nodes().start(node + "x");
    }
    return Arrays.stream(nodes).map(node -> lost.contains(node) ? node + "x" : node).toArray(String[]::new);
  }

  @Test
  void threeNodesLostAreTooManyAndTheRunStartsWithoutCheckpoint() throws Exception {
    try (TestCluster cluster = cluster()) {
      cluster.steps(1, 1, NODES);
      assertThat(cluster.all(scr -> {
        assertThat(scr.restart()).isEmpty();
        scr.finish();
        return scr.remarks();
      }, lose(cluster, NODES, List.of("n1", "n2", "n4"))).getFirst()).as("and rank 0 says so").satisfiesExactly(
          anew -> assertThat(anew).isEqualTo("none of the checkpoints in the caches, 1 in all, could be used:"
              + " the run starts without a checkpoint"),
          why -> assertThat(why).startsWith("dataset 1 \"step-1\" of the caches was passed over: "));
    }
  }

  @Test
  void asManyNodesMayBeLostAsTheSettingSays() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory,
        TestCluster.Setup.of(Scheme.RS).with("SCR_SET_FAILURES", "3"), NODES)) {
      cluster.steps(1, 1, NODES);
      String[] nodes = lose(cluster, NODES, List.of("n1", "n2", "n4"));
      assertThat(cluster.restart(nodes)).isEqualTo(1);
      cluster.awaitProtected(nodes);
      assertThat(cluster.restart(lose(cluster, nodes, List.of("n3", "n2x", "n4x")))).isEqualTo(1);
    }
  }

  @Test
  void partnerWithTwoCopiesSurvivesTwoNeighboursAndNotThree() throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory,
        TestCluster.Setup.of(Scheme.PARTNER).with("SCR_SET_FAILURES", "2"), NODES)) {
      cluster.steps(1, 1, NODES);
      String[] nodes = lose(cluster, NODES, List.of("n1", "n2"));
      assertThat(cluster.restart(nodes)).isEqualTo(1);
      cluster.awaitProtected(nodes);
      assertThat(cluster.restart(lose(cluster, nodes, List.of("n3", "n4", "n1x")))).isZero();
    }
  }

  @Test
  void severalRanksOfANodeAreInSetsOfTheirOwn() throws Exception {
    String[] ranks = {"n1", "n1", "n2", "n2", "n3", "n3", "n4"};
    try (TestCluster cluster = cluster()) {
      cluster.steps(1, 2, ranks);
      assertThat(cluster.restart(lose(cluster, ranks, List.of("n2", "n3")))).isEqualTo(2);
    }
  }

  @Test
  void parityThatWasComputedForOthersIsKeptForTheNextDatasetAndNotInThisOne() throws Exception {
    try (TestCluster cluster = cluster()) {
      cluster.steps(1, 3, NODES);
      for (String node : NODES) {
        Path lent = cluster.datasetDirectory(node, 3).resolve(".scr/lent");
        Eventually.holds("the end of the loans of " + node, () -> {
          String[] left = lent.toFile().list();
          return left == null || left.length == 0;
        });
      }
      assertThat(cluster.restart(lose(cluster, NODES, List.of("n1", "n2")))).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 8})
  void aNodeThatDiesWhileOthersAskForItsParityHangsNobody(int nth) throws Exception {
    try (TestCluster cluster = new TestCluster(
            vertx, directory, TestCluster.Setup.of(Scheme.RS).with("SCR_SMALL_BYTES", "0"), NODES);
        KillAt killer = new KillAt(vertx, KillAt.Point.verb("checksums", nth), () -> cluster.nodes().kill("n3"))) {
      var second = new CyclicBarrier(NODES.length, killer::arm);
      List<CompletableFuture<Optional<ScrException>>> ranks = cluster.run(NODES).start(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        second.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        try {
          RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
        } catch (ScrException e) {
          return Optional.of(e);
        }
        return Optional.empty();
      });
      List<Fault> faults = new ArrayList<>();
      for (CompletableFuture<Optional<ScrException>> rank : ranks) {
        rank.get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS).ifPresent(e -> faults.add(e.fault()));
      }
      assertThat(faults).hasSize(4).isSubsetOf(Fault.NODE_LOST, Fault.RANK_LOST);
      killer.dead().get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
      cluster.nodes().start("n5");
      assertThat(cluster.restart("n1", "n2", "n5", "n4")).isBetween(1, 2);
    }
  }
}
