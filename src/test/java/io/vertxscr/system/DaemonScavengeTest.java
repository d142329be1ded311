package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a run that dies without a successor loses no cached dataset, without any user action. */
class DaemonScavengeTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  private TestCluster cluster(Map<String, String> more) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("SCR_FLUSH", "100", "SCR_SCAVENGE_SECONDS", "1"));
    all.putAll(more);
    return new TestCluster(vertx, directory, new TestCluster.Setup(all), NODES);
  }

  private static List<Integer> flushed(TestCluster cluster) {
    return new PrefixIndex(new PrefixPaths(cluster.prefix()), "test", Duration.ofSeconds(5)).read().index()
        .entries().stream().filter(Index.Entry::complete).map(Index.Entry::id).toList();
  }

  /** The events of the log, when the end of the scavenge is among them. */
  private static List<String> log(TestCluster cluster) throws Exception {
    LogFile log = new LogFile(new PrefixPaths(cluster.prefix()));
    Supplier<List<String>> events = () -> log.read().stream().flatMap(line -> line.event().stream()).toList();
    cluster.await("the log", () -> events.get().contains("SCAVENGE_END"));
    return events.get();
  }

  /** Writes these steps and goes without finalize. */
  private static void die(TestCluster cluster, int last) throws Exception {
    cluster.all(scr -> {
      RankProgram.restart(scr, 3);
      for (int step = 1; step <= last; step++) {
        RankProgram.checkpoint(scr, cluster.prefix(), step, 3);
      }
      return 0;
    }, NODES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "n1", "n3"})
  void theNewestCheckpointOfARunThatDiedReachesThePrefixThoughANodeIsLostToo(String lost) throws Exception {
    try (TestCluster cluster = cluster(Map.of())) {
      die(cluster, 2);
      cluster.awaitOver(NODES);
      if (!lost.isEmpty()) {
        cluster.lose(lost);
      }
      cluster.await("the scavenge", () -> flushed(cluster).contains(2));
      assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 2).problems()).isEmpty();
      assertThat(flushed(cluster)).containsExactly(2);
      assertThat(log(cluster)).as("the log").containsSubsequence("RUN_END", "SCAVENGE_START", "SCAVENGE_END");
    }
  }

  /** Destroys the file of the rank on a node, behind the daemon's back: other bytes, or none at all. */
  private static void spoil(TestCluster cluster, String node, int dataset, boolean gone) throws IOException {
    String name = cluster.record(node, dataset).ranks().getFirst().files().files().getFirst().name();
    Path file = NodeDirectories.resolve(cluster.datasetDirectory(node, dataset), name);
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
    try (TestCluster cluster = cluster(Map.of("SCR_USE_CONTAINERS", gone ? "1" : "0"))) {
      die(cluster, 1);
      spoil(cluster, node, 1, gone);
      cluster.await("the scavenge", () -> flushed(cluster).contains(1));
      assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 1).problems()).isEmpty();
    }
  }

  @Test
  void whereTheNewestIsBeyondRepairTheNextOlderOneIsTakenAndTheLogSaysWhy() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_CACHE_SIZE", "2"))) {
      die(cluster, 2);
      spoil(cluster, "n1", 2, false);
      spoil(cluster, "n2", 2, false);
      cluster.await("the scavenge", () -> flushed(cluster).contains(1));
      assertThat(flushed(cluster)).containsExactly(1);
      assertThat(new LogFile(new PrefixPaths(cluster.prefix())).read()).anySatisfy(line -> {
        assertThat(line.event()).contains("SCAVENGE_END");
        assertThat(line.toString()).contains("checksum").contains("cannot be rebuilt");
      });
    }
  }

  @Test
  void itGoesIntoContainersWhereItsRunWantedThat() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_USE_CONTAINERS", "1"))) {
      die(cluster, 1);
      cluster.await("the scavenge", () -> flushed(cluster).contains(1));
      assertThat(new PrefixPaths(cluster.prefix()).dataset(1).resolve(".scr/ctr.0.scr")).isRegularFile();
    }
  }

  @Test
  void aRunThatFollowsInTimeIsNotDisturbed() throws Exception {
    try (TestCluster cluster = cluster(Map.of("SCR_SCAVENGE_SECONDS", "2", "SCR_FLUSH", "0"))) {
      die(cluster, 1);
      cluster.awaitOver(NODES);
      assertThat(cluster.all(scr -> {
        int step = RankProgram.restart(scr, 3);
        vertx.timer(2500).await();                        // it goes on when the time after the death is over
        assertThat(flushed(cluster)).isEmpty();
        scr.finish();
        return step;
      }, NODES)).containsOnly(1);
      assertThat(flushed(cluster)).isEmpty();
    }
  }

  @Test
  void beforeTheAllocationEndsTheNewestCheckpointIsSavedWhileTheRunGoesOn() throws Exception {
    long end = System.currentTimeMillis() / 1000 + 30;
    try (TestCluster cluster = cluster(Map.of("SCR_SCAVENGE_SECONDS", "28", "SCR_END_TIME", "" + end))) {
      cluster.all(scr -> {
        RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
        cluster.await("the scavenge", () -> flushed(cluster).contains(1));
        RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
        return 0;
      }, NODES);
    }
  }
}
