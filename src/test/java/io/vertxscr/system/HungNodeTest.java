package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a member that stays but does not answer hangs nobody. Method: in virtual time the loop or the storage of a node
 * hangs while ranks wait in a phase, or in init; each call of a rank on another node is answered within a minute, with
 * a fault that names the node. A spare takes its place, and when it answers again it takes part again.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class HungNodeTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long SEED = Long.getLong("seed", 1);

  @TempDir
  Path directory;

  private VirtualCluster cluster() throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"), Map.of("SCR_FLUSH", "0"));
    cluster.start("n1", "n2", "n3", "n4", "n5");
    return cluster;
  }

  private static void hang(VirtualCluster cluster, String what, String node, boolean hangs) {
    if (what.equals("loop")) {
      cluster.hangLoop(node, hangs);
    } else {
      cluster.hangStorage(node, hangs);
    }
  }

  private static void assertNames(VirtualCluster cluster, Future<?> rank, String node) {
    assertThat(rank.failed()).as(cluster::story).isTrue();
    assertThat(rank.cause()).isInstanceOfSatisfying(ScrException.class, cause ->
        assertThat(cause.fault()).as(cause.getMessage()).isEqualTo(Fault.NODE_LOST)).hasMessageContaining(node);
  }

  @ParameterizedTest
  @CsvSource({"loop, n3", "storage, n3", "storage, n2", "loop, n1", "storage, n1"})
  void ranksThatWaitInAPhaseHearOfAHungNodeAndASpareTakesItsPlace(String what, String victim) throws Exception {
    VirtualCluster cluster = cluster();
    VirtualRun run = new VirtualRun(cluster, "n1", "n2", "n3", "n4");
    List<Integer> ready = new ArrayList<>();
    Promise<Void> hung = Promise.promise();
    List<Future<Void>> ranks = run.start(session -> run.checkpoints(session, 1, 1).compose(_ -> {
      ready.add(session.rank());
      return hung.future();
    }).compose(_ -> run.checkpoint(session, 2)));
    cluster.awaits("a checkpoint of all", () -> ready.size() == 4);
    hang(cluster, what, victim, true);
    hung.complete();
    cluster.pass(MINUTE);
    for (int rank = 0; rank < 4; rank++) {
      if (rank != victim.charAt(1) - '1') {
        assertNames(cluster, ranks.get(rank), victim);
      }
    }
    if (!victim.equals("n1")) {
      String[] next = List.of("n1", "n2", "n3", "n4").stream().map(node -> node.equals(victim) ? "n5" : node)
          .toArray(String[]::new);
      assertThat(new VirtualRun(cluster, next).steps(3, 3)).isEqualTo(1);
    }
    hang(cluster, what, victim, false);
    cluster.pass(MINUTE);
    assertThat(run.steps(4, 4)).isEqualTo(victim.equals("n1") ? 1 : 3);
  }

  @ParameterizedTest
  @CsvSource({"loop, n3", "loop, n1", "storage, n3", "storage, n1"})
  void initOfTheOthersIsAnsweredWhereANodeHangs(String what, String victim) throws Exception {
    VirtualCluster cluster = cluster();
    assertThat(new VirtualRun(cluster, "n1", "n2", "n3", "n4").steps(1, 1)).isZero();
    hang(cluster, what, victim, true);
    List<Future<?>> calls = new ArrayList<>();
    List<ScrClient> clients = new ArrayList<>();
    List<String> nodes = List.of("n1", "n2", "n3", "n4");
    for (String node : nodes) {
      ScrClient client = cluster.client(node);
      clients.add(client);
      calls.add(Future.fromCompletionStage(
          client.init(new InitRequest(nodes.indexOf(node), 4, cluster.prefix().toString(), "test"))));
    }
    cluster.pass(MINUTE);
    for (String node : nodes) {
      if (!node.equals(victim)) {
        assertNames(cluster, calls.get(nodes.indexOf(node)), victim);
      }
    }
    hang(cluster, what, victim, false);
    cluster.pass(MINUTE);
    clients.forEach(ScrClient::close);                    // a rank of the victim may wait in the next attempt, alone
    cluster.launch();                                     // its node hears of that first
    assertThat(new VirtualRun(cluster, "n1", "n2", "n3", "n4").steps(2, 2)).isEqualTo(1);
  }
}
