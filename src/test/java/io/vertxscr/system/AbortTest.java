package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a run that is over names its cause, and not a rank that failed because of that. Method: ranks in virtual time
 * say that they cannot go on, before and behind the end of another one.
 */
@Timeout(60)
class AbortTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final String WHY = "RuntimeError: Connection closed by peer";

  @TempDir
  private Path directory;
  private VirtualCluster cluster;
  private final List<ScrClient> clients = new ArrayList<>();
  private final List<VirtualSession> ranks = new ArrayList<>();
  private Future<?> waits;

  /** The last rank waits in a collective call. */
  @BeforeEach
  void run() throws Exception {
    cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"), Map.of());
    cluster.start(NODES);
    List<Future<VirtualSession>> begun = new ArrayList<>();
    for (int rank = 0; rank < NODES.length; rank++) {
      clients.add(cluster.client(NODES[rank]));
      begun.add(Future.fromCompletionStage(clients.get(rank).init(
          new InitRequest(rank, NODES.length, cluster.prefix().toString(), "test"))).map(VirtualSession::new));
    }
    begun.forEach(rank -> ranks.add(cluster.answer(rank)));
    waits = ranks.getLast().restart();
    cluster.pass(Duration.ofMillis(100));
    assertThat(waits.isComplete()).isFalse();
  }

  private ScrException told() {
    ScrException cause = (ScrException) cluster.await(waits).cause();
    String status = cluster.answer(Future.fromCompletionStage(clients.getFirst().status())).toString();
    assertThat(status).as("the status of another node").contains(cause.getMessage());
    return cause;
  }

  @Test
  void aRankThatCannotGoOnEndsTheRunWithItsReason() {
    Future<Void> over = ranks.get(1).abort(WHY);
    assertThat(told()).hasMessage("rank 1 on node n2 cannot go on: " + WHY)
        .returns(Fault.RANK_LOST, ScrException::fault);
    assertThat(cluster.await(over).succeeded()).isTrue();
    assertThat(cluster.await(ranks.getFirst().finish()).cause()).hasMessageContaining(WHY);
  }

  @Test
  void theEndOfItsConnectionBehindThatChangesNothing() {
    ranks.get(1).abort(WHY);
    cluster.pass(Duration.ofMillis(50));
    clients.get(1).close();
    assertThat(told()).hasMessage("rank 1 on node n2 cannot go on: " + WHY);
  }

  @ParameterizedTest(name = "{0} ms later")
  @CsvSource({"0", "50", "900"})
  void aRankThatHasDiedIsTheCauseAndNotThoseWhichNoticedThat(int laterMs) {
    Future<Void> over = ranks.getFirst().abort(WHY);
    cluster.pass(Duration.ofMillis(laterMs));
    clients.get(1).close();
    assertThat(told()).hasMessage("rank 1 on node n2 is lost: its connection ended without finalize");
    assertThat(cluster.await(over).succeeded()).isTrue();
  }

  @Test
  void aNodeThatHasLeftIsTheCause() {
    ranks.getFirst().abort(WHY);
    cluster.kill("n2");
    assertThat(told()).hasMessageStartingWith("node n2 (rank 1) has left")
        .returns(Fault.NODE_LOST, ScrException::fault);
  }

  @Test
  void itMayBeSaidAgainAndOfItsOwnRankAlone() {
    ranks.get(1).abort(WHY);
    Future<Void> again = ranks.get(1).abort(WHY);
    assertThat(told()).hasMessage("rank 1 on node n2 cannot go on: " + WHY);
    assertThat(cluster.await(again).succeeded()).isTrue();
    assertThat(cluster.await(ranks.getFirst().abort("late")).cause()).hasMessageContaining(WHY);
  }
}
