package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.client.Session;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: of the ranks that wait in init, one says what for. It names missing ranks and nodes without any. Method: three
 * nodes in virtual time; some ranks of a run call init, and all of them ask.
 */
@Timeout(60)
class InitWaitTest {
  @TempDir
  private Path directory;
  private VirtualCluster cluster;
  private final Map<Integer, ScrClient> clients = new TreeMap<>();
  private final List<Future<Session>> inits = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    cluster = VirtualClusters.in(new Random(1), directory, Map.of());
    cluster.start("n1", "n2", "n3");
  }

  private void init(String node, int ranks, int... here) {
    for (int rank : here) {
      ScrClient client = cluster.client(node);
      clients.put(rank, client);
      inits.add(Future.fromCompletionStage(
          client.init(new InitRequest(rank, ranks, cluster.prefix().toString(), "test"))));
    }
    cluster.pass(Duration.ofMillis(100));
  }

  /** What each rank is told, by rank; nothing of those that are not told anything. */
  private Map<Integer, List<String>> told(long waitedSeconds) {
    Map<Integer, List<String>> told = new TreeMap<>();
    clients.forEach((rank, client) -> {
      List<String> remarks = cluster.answer(Future.fromCompletionStage(client.initWait(waitedSeconds)));
      if (!remarks.isEmpty()) {
        told.put(rank, remarks);
      }
    });
    return told;
  }

  @Test
  void theLowestRankOfTheRunSaysWhichRanksAreMissingAndWhichNodesHaveNone() {
    init("n1", 8, 4, 5, 6, 7);
    assertThat(told(30)).containsExactly(Map.entry(4, List.of("init has waited 30 s for 4 of 8 ranks: ranks 0, 1, 2, 3;"
        + " nodes without ranks: n2, n3 (scr status tells more)")));
    init("n2", 8, 2, 1, 0);
    assertThat(told(480)).containsExactly(Map.entry(0, List.of(
        "init has waited 8 min for 1 of 8 ranks: rank 3; node without ranks: n3 (scr status tells more)")));

    init("n3", 8, 3);
    inits.forEach(cluster::answer);
    assertThat(told(480)).as("the run has begun").isEmpty();
  }

  /** Its own rank has been refused before any other came; these wait for it. */
  @Test
  void aNodeThatIsDrainedIsSaidToTakeNone() {
    ScrClient operator = cluster.client("n1");
    cluster.answer(Future.fromCompletionStage(operator.drain(DrainRequest.begin("n3", false))));
    init("n3", 2, 1);
    init("n1", 2, 0);
    assertThat(told(30).get(0)).containsExactly("init has waited 30 s for 1 of 2 ranks: rank 1;"
        + " nodes without ranks: n2, n3 (drained, takes none) (scr status tells more)");
  }

  @Test
  void ofManyMissingRanksTheFirstAreNamedAndTheOthersCounted() {
    init("n2", 32, 1);
    init("n1", 32, 30);
    init("n3", 32, 31);
    assertThat(told(7680)).containsExactly(Map.entry(1, List.of("init has waited 2 h for 29 of 32 ranks:"
        + " ranks 0, 2, 3, 4, 5, 6, 7, 8 and 21 more (scr status tells more)")));
  }

  @Test
  void whoHasNotCalledInitIsToldNothing() {
    clients.put(0, cluster.client("n1"));
    assertThat(told(30)).isEmpty();
    init("n1", 4, 2);
    assertThat(told(30)).containsOnlyKeys(2);
  }
}
