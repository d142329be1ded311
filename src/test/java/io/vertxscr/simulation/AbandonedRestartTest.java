package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a run that loses a rank in a restart, or just behind, holds up no flush and nobody waits. Nor does anybody for
 * a node that leaves when its run is over. Method: two nodes with a rank each in virtual time; ranks may read in place,
 * for which renames in the prefix directory wait. A rank dies at each millisecond of a restart; the next run flushes
 * the caches first. Replay with -Dseed=N.
 */
class AbandonedRestartTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = List.of("n1", "n2");
  private static final int MOST_MS = 60;

  private final Random random = new Random(SEED);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Map<String, LocalFiles> machines = new HashMap<>();
  private final VirtualCluster cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE",
      "/local/cntl", "SCR_CACHE_BASE", "/local/cache", "SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "0",
      "SCR_FETCH_BYPASS", "1"), Optional.empty()), PREFIX, this::machine, true,
      (from, to) -> new int[] {from.equals(to) ? 0 : 1});

  private LocalFiles machine(String name) {
    return machines.computeIfAbsent(name, _ -> new LocalFiles(new SimulatedFileSystem(
        name, new SimulatedDisk(time::nowNs), shared, SimulatedFileSystem.Interference.NONE)));
  }

  private List<ScrClient> clients() {
    return NODES.stream().map(cluster::client).toList();
  }

  private void start() throws IOException {
    Files.createDirectories(machine("n1").path(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).path("/local"));
      cluster.start(node);
    }
  }

  private void checkpoint() throws IOException {
    List<ScrClient> clients = clients();
    List<VirtualSession> ranks = cluster.all(cluster.init(clients, Map.of()), answer -> answer);
    List<VirtualPhase> phases = cluster.all(ranks, rank -> rank.startOutput("step-1", DatasetFlags.CHECKPOINT));
    for (int rank = 0; rank < ranks.size(); rank++) {
      Path routed = cluster.answer(phases.get(rank).route(PREFIX + "/step-1/rank-" + rank));
      Files.write(cluster.file(NODES.get(rank), routed), new byte[100]);
    }
    cluster.all(phases, phase -> phase.complete(true));
    cluster.all(ranks, VirtualSession::finish);
    clients.forEach(ScrClient::close);
    cluster.launch();
  }

  static IntStream times() {
    return IntStream.range(0, MOST_MS);
  }

  @ParameterizedTest
  @MethodSource("times")
  void holdsUpNoFlush(int dies) throws IOException {
    start();
    checkpoint();
    List<ScrClient> abandoned = clients();
    List<Future<VirtualSession>> first = cluster.init(abandoned, Map.of());
    cluster.pass(Duration.ofMillis(dies));
    abandoned.getLast().close();
    cluster.await(first.getFirst());
    abandoned.forEach(ScrClient::close);
    cluster.launch();
    List<Future<VirtualSession>> second = cluster.init(clients(), Map.of("SCR_FLUSH_ON_RESTART", "1"));
    cluster.pass(Duration.ofMinutes(1));
    assertThat(second).allMatch(Future::succeeded);
    assertThat(machine("n1").path(PREFIX + "/step-1/rank-1")).exists();
  }

  /** Who writes brings the checkpoint of the restart to stable storage first, and asks whether all others have. */
  @Test
  void leavesNoNodeWaitingWhereARankDiesBetweenRestartAndOutput() throws IOException {
    start();
    checkpoint();
    List<ScrClient> clients = clients();
    List<VirtualSession> ranks = cluster.all(cluster.init(clients, Map.of()), answer -> answer);
    List<Optional<VirtualPhase>> offered = cluster.all(ranks, VirtualSession::restart);
    cluster.all(offered, phase -> phase.orElseThrow().complete(true));
    Future<VirtualPhase> output = ranks.getFirst().startOutput("step-2", DatasetFlags.CHECKPOINT);
    cluster.pass(Duration.ofMillis(MOST_MS));
    clients.getLast().close();
    assertThat(cluster.await(output).cause()).hasMessageContaining("rank 1");
    cluster.pass(Duration.ofSeconds(30));
    assertThat(NODES).allMatch(node -> cluster.unanswered(node) == 0);
  }

  /** How a run ends, and which of its nodes leaves then. */
  enum End {
    LEADER_LEAVES_WHEN_A_RANK_HAS_DIED("n1", "n2", true),
    OTHER_LEAVES_WHEN_A_RANK_HAS_DIED("n2", "n1", true),
    OTHER_LEAVES_WHEN_ALL_HAVE_FINISHED("n2", "n1", false);

    private final String leaves;
    private final String stays;
    private final boolean isAbandoned;

    End(String leaves, String stays, boolean isAbandoned) {
      this.leaves = leaves;
      this.stays = stays;
      this.isAbandoned = isAbandoned;
    }
  }

  /** It has not said whether it has synced the last checkpoint: its storage hangs since some millisecond of it. */
  @ParameterizedTest
  @EnumSource
  void leavesNoNodeWaitingForOneThatLeavesWhenTheRunIsOver(End end) throws IOException {
    start();
    List<ScrClient> clients = clients();
    List<VirtualSession> ranks = cluster.all(cluster.init(clients, Map.of()), answer -> answer);
    boolean asks = false;
    for (int hangs = 0; hangs < MOST_MS && !asks; hangs++) {
      String name = "step-" + hangs;
      List<VirtualPhase> phases = cluster.all(ranks, rank -> rank.startOutput(name, DatasetFlags.CHECKPOINT));
      for (int rank = 0; rank < ranks.size(); rank++) {
        Path routed = cluster.answer(phases.get(rank).route(PREFIX + "/" + name + "/rank-" + rank));
        Files.write(cluster.file(NODES.get(rank), routed), new byte[100]);
      }
      List<? extends Future<?>> complete = phases.stream().map(phase -> phase.complete(true)).toList();
      cluster.pass(Duration.ofMillis(hangs));
      cluster.hangStorage(end.leaves, true);
      cluster.pass(Duration.ofMillis(MOST_MS));
      asks = complete.stream().allMatch(Future::succeeded) && cluster.unanswered(end.stays) > 0;
      if (!asks) {
        cluster.hangStorage(end.leaves, false);
        complete.forEach(cluster::answer);
      }
    }
    assertThat(asks).as("the other one asks whether all have synced a complete checkpoint").isTrue();
    if (end.isAbandoned) {
      clients.get(NODES.indexOf(end.stays)).close();
    } else {
      cluster.all(ranks, VirtualSession::finish);
    }
    cluster.pass(Duration.ofMillis(MOST_MS));
    cluster.kill(end.leaves);
    cluster.pass(Duration.ofSeconds(30));
    assertThat(cluster.unanswered(end.stays)).isZero();
  }
}
