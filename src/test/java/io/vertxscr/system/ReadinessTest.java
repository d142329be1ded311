package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a node says that it is ready if it could serve a phase. It is in the cluster, its storage and its leader
 * answer. Method: an orchestrator asks all nodes every 10 s, in virtual time, while the oldest node or another hangs.
 */
@Timeout(60)
class ReadinessTest {
  private static final Duration BETWEEN_PROBES = Duration.ofSeconds(10);
  private static final List<String> NODES = List.of("n1", "n2", "n3");

  @TempDir
  Path directory;
  private VirtualCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = VirtualClusters.in(
        new Random(Long.getLong("seed", 1)), directory.resolve("walk"), Map.of("SCR_FLUSH", "0"));
    cluster.start("n1", "n2", "n3");
    probe(2);
    NODES.forEach(this::assertReady);
  }

  private void probe(int times) {
    for (int i = 0; i < times; i++) {
      cluster.pass(BETWEEN_PROBES);
      NODES.stream().filter(cluster::isAlive).forEach(cluster::notReady);
    }
  }

  private void assertReady(String node) {
    assertThat(cluster.notReady(node)).as(node).isEmpty();
  }

  @Test
  void aNodeWhoseStorageHangsIsNotReadyUntilItAnswersAgain() {
    cluster.hangStorage("n2", true);
    probe(2);
    assertThat(cluster.notReady("n2")).hasValueSatisfying(why ->
        assertThat(why).matches("the control directory has not answered for \\d+ s"));
    assertReady("n1");
    assertReady("n3");
    cluster.hangStorage("n2", false);
    probe(1);
    NODES.forEach(this::assertReady);
  }

  @Test
  void aNodeWhoseStorageFailsIsNotReady() throws Exception {
    Path control = cluster.store("n2").directories().control();
    Files.createDirectory(control.resolve("node.probe"));
    probe(1);
    assertThat(cluster.notReady("n2")).hasValueSatisfying(why ->
        assertThat(why).startsWith("the control directory cannot be written to: "));
    assertReady("n3");
    probe(1);                                             // its own probe has deleted the empty directory
    assertReady("n2");
  }

  @Test
  void whereTheLeaderHangsNoOtherNodeIsReadyUntilItAnswersAgain() {
    cluster.hangLoop("n1", true);
    probe(2);
    for (String node : List.of("n2", "n3")) {
      assertThat(cluster.notReady(node)).hasValueSatisfying(why -> assertThat(why).contains("n1", "has not answered"));
    }
    probe(4);
    assertThat(cluster.notReady("n2")).as("after the others have given it up").isPresent();
    cluster.hangLoop("n1", false);
    probe(2);
    NODES.forEach(this::assertReady);
  }

  @Test
  void anotherLeaderIsAskedAfterTheFirstIsLost() {
    cluster.hangLoop("n1", true);
    probe(2);
    cluster.kill("n1");
    probe(1);
    assertReady("n2");
    assertReady("n3");
  }

  @Test
  void whereAnotherNodeHangsTheRestIsReady() {
    cluster.hangLoop("n3", true);
    probe(3);
    assertReady("n1");
    assertReady("n2");
  }
}
