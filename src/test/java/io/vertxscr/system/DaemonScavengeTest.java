package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a run that dies and does not come back loses nothing that the caches had. Nobody is there to save it. Method:
 * nodes in virtual time, so that what is done before the scavenge is done before it on a machine of any speed.
 */
@Timeout(120)
class DaemonScavengeTest {
  private static final String[] NODES = {"n1", "n2", "n3"};
  private static final int SCAVENGE_S = 30;

  @TempDir
  Path directory;

  private VirtualCluster cluster(Map<String, String> more) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_FLUSH", "100", "SCR_SCAVENGE_SECONDS", "" + SCAVENGE_S));
    all.putAll(more);
    VirtualCluster cluster =
        VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("cluster"), all);
    cluster.start(NODES);
    return cluster;
  }

  private static List<Integer> flushed(VirtualCluster cluster) {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()),
        PatientLocks.user("test", Duration.ofSeconds(5))).read().index()
        .entries().stream().filter(Index.Entry::complete).map(Index.Entry::id).toList();
  }

  private static List<LogLine> log(VirtualCluster cluster) {
    return new LogFile(new PrefixPaths(cluster.prefix())).read();
  }

  private static void awaitFlushed(VirtualCluster cluster, int dataset) {
    cluster.awaits("the scavenge", () -> flushed(cluster).contains(dataset));
    assertThat(flushed(cluster)).containsExactly(dataset);
  }

  /** Writes these steps and goes without finalize, when all ranks have heard that the last one is complete. */
  private static void die(VirtualCluster cluster, int last) {
    VirtualRun run = new VirtualRun(cluster, NODES);
    run.all(session -> run.restart(session).compose(_ -> run.checkpoints(session, 1, last))
        .compose(_ -> cluster.later(1_000)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "n1", "n3"})
  void theNewestCheckpointOfARunThatDiedReachesThePrefixThoughANodeIsLostToo(String lost) throws Exception {
    VirtualCluster cluster = cluster(Map.of());
    die(cluster, 2);
    cluster.pass(Duration.ofSeconds(SCAVENGE_S / 2));
    assertThat(flushed(cluster)).as("too early").isEmpty();
    if (!lost.isEmpty()) {
      cluster.kill(lost);
      cluster.loseStorage(lost);
    }
    awaitFlushed(cluster, 2);
    assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 2).problems()).isEmpty();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(log(cluster).stream().flatMap(line -> line.event().stream())).as("the log")
        .containsSubsequence("RUN_END", "SCAVENGE_START", "SCAVENGE_END");
  }

  /** Destroys the file of the rank on a node, behind the daemon's back: other bytes, or none at all. */
  private static void spoil(VirtualCluster cluster, String node, int dataset, boolean gone) throws IOException {
    String name = cluster.store(node).find(dataset).orElseThrow().ranks().getFirst().files().files().getFirst().name();
    Path file = NodeDirectories.resolve(cluster.store(node).directory(dataset), name);
    if (gone) {
      Files.delete(file);
    } else {
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({"n1, false", "n2, true", "n3, false"})
  void aCachedFileThatTurnsOutToBeBadIsRebuiltForIt(String node, boolean gone) throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_USE_CONTAINERS", gone ? "1" : "0"));
    die(cluster, 1);
    spoil(cluster, node, 1, gone);
    awaitFlushed(cluster, 1);
    assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 1).problems()).isEmpty();
  }

  @Test
  void whereTheNewestIsBeyondRepairTheNextOlderOneIsTakenAndTheLogSaysWhy() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_CACHE_SIZE", "2"));
    die(cluster, 2);
    spoil(cluster, "n1", 2, false);
    spoil(cluster, "n2", 2, false);
    cluster.awaits("the scavenge", () -> flushed(cluster).contains(1));
    assertThat(flushed(cluster)).containsExactly(1);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(log(cluster)).anySatisfy(line -> {
      assertThat(line.event()).contains("SCAVENGE_END");
      assertThat(line.toString()).contains("checksum").contains("cannot be rebuilt");
    });
  }

  @Test
  void itGoesIntoContainersWhereItsRunWantedThat() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_USE_CONTAINERS", "1"));
    die(cluster, 1);
    awaitFlushed(cluster, 1);
    assertThat(new PrefixPaths(cluster.prefix()).dataset(1).resolve(".scr/ctr.0.scr")).isRegularFile();
  }

  @Test
  void aRunThatFollowsInTimeIsNotDisturbed() throws Exception {
    VirtualCluster cluster = cluster(Map.of("SCR_FLUSH", "0"));
    die(cluster, 1);
    cluster.pass(Duration.ofSeconds(SCAVENGE_S - 1));
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.all(session -> run.restart(session).compose(step -> cluster.later(SCAVENGE_S * 2000L)
        .compose(_ -> {
          assertThat(flushed(cluster)).isEmpty();
          return session.finish();
        }).map(step)))).containsOnly(1);
    cluster.pass(Duration.ofSeconds(SCAVENGE_S * 2));
    assertThat(flushed(cluster)).isEmpty();
  }

  @Test
  void beforeTheAllocationEndsTheNewestCheckpointIsSavedWhileTheRunGoesOn() throws Exception {
    Instant end = VirtualCluster.BEGINNING.plusSeconds(10 * SCAVENGE_S);
    VirtualCluster cluster = cluster(Map.of("SCR_END_TIME", "" + end.getEpochSecond()));
    VirtualRun run = new VirtualRun(cluster, NODES);
    List<Future<Void>> ranks = run.start(session -> run.checkpoint(session, 1)
        .compose(_ -> cluster.later(9 * SCAVENGE_S * 1000L)).compose(_ -> run.checkpoint(session, 2)));
    cluster.awaits("the scavenge", () -> flushed(cluster).contains(1));
    assertThat(ranks).allMatch(rank -> !rank.isComplete());
    assertThat(cluster.now()).isBetween(end.minusSeconds(SCAVENGE_S), end);
    ranks.forEach(rank -> assertThat(cluster.await(rank).succeeded()).isTrue());
  }
}
