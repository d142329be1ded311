package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a leader without ranks has told some nodes alone costs no checkpoint. Nor does anybody wait for it. Each
 * checkpoint is counted down once in the halt file.
 * Method: nodes in virtual time, one of which hears nothing of the leader for a moment, or whose storage hangs before
 * they have synced a complete checkpoint; then the leader dies, or is told to end the run.
 */
class LeaderWithoutRanksTest {
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final int[] AT_ONCE = {1};
  private static final int MOST_MS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Random random = new Random(Long.getLong("seed", 1));
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Map<String, LocalFiles> machines = new HashMap<>();
  /** The node that hears nothing of the leader. */
  private String deaf = "";
  private final VirtualCluster cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE",
      "/local/cntl", "SCR_CACHE_BASE", "/local/cache", "SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "0"),
      Optional.empty()), PREFIX, this::machine, true,
      (from, to) -> from.equals("n1") && to.equals(deaf) ? Network.LOST : AT_ONCE);
  private List<String> nodes;
  private List<VirtualSession> ranks;

  private LocalFiles machine(String name) {
    return machines.computeIfAbsent(name, _ -> new LocalFiles(new SimulatedFileSystem(
        name, new SimulatedDisk(time::nowNs), shared, SimulatedFileSystem.Interference.NONE)));
  }

  /** A run with ranks on these nodes, under a leader without any. */
  private List<ScrClient> begin(String... names) throws IOException {
    nodes = List.of(names);
    Files.createDirectories(machine("n1").path(PREFIX.toString()));
    Files.createDirectories(machine("n1").path("/local"));
    cluster.start("n1");
    cluster.pass(Duration.ofSeconds(1));
    for (String node : nodes) {
      Files.createDirectories(machine(node).path("/local"));
      cluster.start(node);
    }
    cluster.pass(Duration.ofSeconds(1));
    List<ScrClient> clients = nodes.stream().map(cluster::client).toList();
    ranks = cluster.all(cluster.init(clients, Map.of()), answer -> answer);
    return clients;
  }

  private List<? extends Future<?>> checkpoint(String name) throws IOException {
    List<VirtualPhase> phases = cluster.all(ranks, rank -> rank.startOutput(name, DatasetFlags.CHECKPOINT));
    for (int rank = 0; rank < ranks.size(); rank++) {
      Path routed = cluster.answer(phases.get(rank).route(PREFIX + "/" + name + "/rank-" + rank));
      Files.write(cluster.file(nodes.get(rank), routed), new byte[100]);
    }
    return phases.stream().map(phase -> phase.complete(true)).toList();
  }

  /** A checkpoint is complete, and the first node waits for these to have synced it. */
  private void checkpointThatIsNotSyncedBy(List<String> late) throws IOException {
    boolean asks = false;
    for (int hangs = 0; hangs < MOST_MS && !asks; hangs++) {
      List<? extends Future<?>> complete = checkpoint("step-" + hangs);
      cluster.pass(Duration.ofMillis(hangs));
      late.forEach(node -> cluster.hangStorage(node, true));
      cluster.pass(Duration.ofMillis(MOST_MS));
      asks = complete.stream().allMatch(Future::succeeded) && cluster.unanswered(nodes.getFirst()) > 0
          && late.stream().allMatch(node -> cluster.unanswered(node) == 0);
      if (!asks) {
        late.forEach(node -> cluster.hangStorage(node, false));
        complete.forEach(cluster::answer);
        cluster.pass(Duration.ofSeconds(1));
      }
    }
    assertThat(asks).as("the first one asks whether all have synced a complete checkpoint").isTrue();
  }

  private List<String> held(String node) {
    return cluster.store(node).list().stream().map(DatasetRecord::descriptor).map(held -> held.name()).toList();
  }

  @Test
  void whoHasNotHeardThatAllHaveSyncedHearsItFromTheNextLeader() throws IOException {
    begin("n2", "n3");
    checkpointThatIsNotSyncedBy(List.of("n3"));
    deaf = "n3";
    cluster.hangStorage("n3", false);
    cluster.awaits("the first node hears that all have synced", () -> cluster.unanswered("n2") == 0);
    cluster.kill("n1");
    cluster.pass(PATIENCE);
    assertThat(cluster.unanswered("n3")).isZero();
    assertThat(held("n3")).isEqualTo(held("n2")).hasSize(1);
  }

  @Test
  void nobodyWaitsForANodeWhoseLossOnlyTheLastLeaderHeardOf() throws IOException {
    begin("n2", "n3", "n4");
    checkpointThatIsNotSyncedBy(List.of("n3", "n4"));
    cluster.all(ranks, VirtualSession::finish);
    cluster.kill("n3");
    cluster.awaits("the first node hears that not all can sync", () -> cluster.unanswered("n2") == 0);
    cluster.pass(Duration.ofSeconds(1));
    cluster.kill("n1");
    cluster.pass(Duration.ofSeconds(1));
    cluster.hangStorage("n4", false);
    cluster.pass(PATIENCE);
    assertThat(cluster.unanswered("n4")).isZero();
  }

  /** Some node has told its ranks that the checkpoint is complete. */
  @Test
  void whoHasNotHeardThatItIsCompleteKeepsItWhenTheRunIsHaltedAtOnce() throws IOException {
    begin("n2", "n3");
    Set<String> parts = new HashSet<>();
    cluster.bus().watch(sent -> {
      if ("PROTECTED".equals(sent.json().getString("step")) && parts.add(sent.json().getString("node"))) {
        deaf = parts.size() == nodes.size() ? "n3" : "";
      }
    });
    List<? extends Future<?>> complete = checkpoint("step-1");
    cluster.answer(complete.getFirst());
    cluster.pass(Duration.ofMillis(MOST_MS));
    cluster.onLoop("n1", () -> {
      cluster.services("n1").leader().halt("now");
      return Future.succeededFuture();
    });
    cluster.pass(Duration.ofMillis(MOST_MS));
    deaf = "";
    assertThat(cluster.await(complete.getLast()).failed()).isTrue();
    cluster.pass(PATIENCE);
    assertThat(held("n2")).isEqualTo(held("n3")).containsExactly("step-1");
  }

  private HaltFileStore haltFile() {
    LocalFiles files = machine("operator");
    return new HaltFileStore(new PrefixPaths(files.path(PREFIX.toString())),
        new LockUser("operator", files, time.loop().clock()));
  }

  /** A run that may write three checkpoints, under a leader without ranks. */
  private void beginWithThreeCheckpointsLeft(String... names) throws IOException {
    Files.createDirectories(machine("operator").path(PREFIX.toString()));
    haltFile().update(halt -> halt.withCheckpointsLeft(OptionalInt.of(3)));
    begin(names);
  }

  @Test
  void whatItHasAcknowledgedIsCountedDownInTheHaltFile() throws IOException {
    beginWithThreeCheckpointsLeft("n2", "n3");
    List<? extends Future<?>> complete = checkpoint("step-1");
    cluster.awaits("a rank hears that it is complete", () -> complete.stream().anyMatch(Future::isComplete));
    cluster.kill("n1");
    complete.forEach(cluster::answer);
    cluster.pass(PATIENCE);
    assertThat(haltFile().read().checkpointsLeft()).hasValue(2);
  }

  @Test
  void whatItHasCountedAndNotAcknowledgedIsNotCountedByTheNextLeader() throws IOException {
    beginWithThreeCheckpointsLeft("n2");
    cluster.bus().watch(sent -> deaf = "PROTECTED".equals(sent.json().getString("step")) ? "n2" : deaf);
    List<? extends Future<?>> complete = checkpoint("step-1");
    cluster.awaits("it is counted", () -> haltFile().read().checkpointsLeft().orElseThrow() == 2);
    assertThat(complete.getFirst().isComplete()).isFalse();
    cluster.kill("n1");
    complete.forEach(cluster::answer);
    checkpoint("step-2").forEach(cluster::answer);
    cluster.pass(PATIENCE);
    assertThat(haltFile().read().checkpointsLeft()).hasValue(1);
  }
}
